"""Shows the candidates of one request, with the values that their conditions compared (D10)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ...bundles.conditions.attribute_keys import read, reads_own_key, steps_of
from ...bundles.conditions.instants import EARLIEST, END, from_seconds, instant_of, show_instant
from ...bundles.conditions.references import GROUPS, NOW
from ...bundles.conditions.values import Json, Unreadable
from ...bundles.conditions.windows import show_window
from ...bundles.program.clauses import AgainstNow, Comparison, During, From, Rate, Reference
from ...bundles.program.demands import MISFITS, Demand
from ..requests.evaluation_request import EvaluationRequest
from ..requests.members import Attributes
from ..rules.attributes import Asked
from ..rules.conditions import fault_of
from ..rules.foreign_values import finite
from ..rules.memberships import HasGroups
from ..rules.rule import Rule, is_within_limit
from .held_roles import HeldRoles
from .shown_value import shown
from .unsent import NOTHING, Unsent, is_unsent

MOST_CANDIDATES: Final = 1_000
"""Candidates in a proof."""

MOST_CONDITIONS: Final = 5_000
"""Conditions in a proof."""

MOST_CHARACTERS: Final = 262_144
"""Characters of values and keys in a proof."""

_KEPT: Final[dict[str, Any]] = {"actual_hidden": True}
"""Stands for a registered value that the caller did not send and may not see (E9)."""

_CHARACTERS_OF_A_CONDITION: Final = 100
"""About what a condition takes beside its key and values."""


class Proof:
    """The proof of one request with its entities resolved, as far as the limits let it grow.

    `truncated` says whether a limit cut something. The values of `added` attributes are left out.
    """

    def __init__(
        self,
        request: EvaluationRequest,
        sid: str | None,
        rid: str | None,
        holder: HasGroups,
        roles: HeldRoles,
        now: float,
        rates: Mapping[str, int],
        added: Unsent = NOTHING,
    ):
        (stype, _, _, subject, _, properties, rtype, _, _, resource, context, _) = request
        self._asked: Asked = (stype, sid, subject, rid, resource, properties, context, holder, now)
        self._roles, self._rates, self._memberships, self._added = roles, rates, holder.memberships, added
        self._sections: dict[str, Attributes] = {
            "subject_attrs": subject,
            "resource_attrs": resource,
            "action_attrs": properties,
            "context_attrs": context,
        }
        self._own = {
            "subject_attrs": {"id": sid, "type": stype},
            "resource_attrs": {"id": rid, "type": rtype},
        }
        self._candidates, self._conditions, self._characters = MOST_CANDIDATES, MOST_CONDITIONS, MOST_CHARACTERS
        self._actual: dict[tuple[str, str], tuple[dict[str, Any], int]] = {}
        self.truncated = False

    def candidates(self, grants: Sequence[tuple[str, str | None]], rules: Sequence[Rule]) -> list[dict[str, Any]]:
        """Returns the grants and rules to show, in order. If not all fit, grants and rules that hold come first.

        A grant is its id, and the id of the group that it is for, if it is for one (P7).
        """
        holds = [self._holds(rule) for rule in rules]
        places = sorted(range(len(rules)), key=lambda place: not holds[place])
        shown_grants = [_grant(id, group) for id, group in grants if self._has_room()]
        found = {place: self._rule(rules[place], holds[place]) for place in places if self._has_room()}
        return [*shown_grants, *(found[place] for place in sorted(found))]

    def _holds(self, rule: Rule) -> bool:
        """Returns whether a rule held. A rate limit was asked, and counted, only if the other conditions held (C10)."""
        if rule.body.rate is not None:
            return is_within_limit(rule, self._rates)
        return all(test(*self._asked) for test in rule.body.tests)

    def _has_room(self) -> bool:
        """Takes the room of one more candidate. Returns whether there is any."""
        room = self._candidates > 0 and self._conditions > 0 and self._characters > 0
        self._candidates -= 1
        self.truncated = self.truncated or not room
        return room

    def _rule(self, rule: Rule, holds: bool) -> dict[str, Any]:
        by = None if rule.clause.roles is None else self._roles.held_by(rule.clause.roles, rule.path)
        return {
            "id": rule.clause.policy,
            "kind": "policy",
            "effect": rule.clause.effect,
            "path": str(rule.path),
            "holds": holds,
            **({} if by is None else {"held_by": by}),
            "conditions": list(self._shown_conditions(rule)),
        }

    def _shown_conditions(self, rule: Rule) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        needed = rule.body.demands or [()] * len(rule.body.by_atom)
        for atom, test, demands in zip(rule.clause.body, rule.body.by_atom, needed, strict=True):
            if self._conditions <= 0 or self._characters <= 0:
                self.truncated = True
                break
            self._conditions -= 1
            if isinstance(atom, Rate):
                found.append({**self._rate(rule, atom), "holds": is_within_limit(rule, self._rates)})
            else:
                unreadable = {"unreadable": True} if self._misfits(demands) else {}
                found.append({**self._compared(atom), **unreadable, "holds": test(*self._asked)})
        return found

    def _misfits(self, demands: Iterable[Demand]) -> bool:
        """Returns whether a value is there that can't be read, since it does not fit its declaration (C13)."""
        a, c = self._sections["action_attrs"], self._sections["context_attrs"]
        return any(fault_of(demand, a, c) == MISFITS for demand in demands)

    def _rate(self, rule: Rule, rate: Rate) -> dict[str, Any]:
        """Returns the number of the evaluation in the window, and the limit.

        It is `missing` if no counter was asked.
        """
        number = self._rates.get(rule.clause.policy)
        compared = {"missing": True} if number is None else {"actual": number}
        self._characters -= _CHARACTERS_OF_A_CONDITION
        limit = {"limit": rate.limit, "window_seconds": rate.window_seconds}
        return {"section": "rate_limit", "key": "rate", "op": "lte", "value": limit, **compared}

    def _compared(self, atom: Comparison | Reference | AgainstNow | During | From) -> dict[str, Any]:
        """Returns the value that a condition reads, and its constant. A value that was not sent is `missing`."""
        context = self._sections["context_attrs"]
        match atom:
            case Comparison(section, key, op, value):
                return self._pair(section, key, str(op), value)
            case Reference(section, key, op, value_of):
                referred = self._sent(value_of.section, value_of.key, groups=value_of == GROUPS)
                pair = {**self._pair(section, key, str(op), _text_of(referred)), "value_of": str(value_of)}
                return _without_value(pair) if self._is_unsent(value_of.section, value_of.key) else pair
            case AgainstNow(section, key, op):
                instant = instant_of(context.get("time"), self._asked[-1])
                shown_now = context.get("time") if instant is None else show_instant(instant)
                return {**self._pair(section, key, str(op), _text_of(shown_now)), "value_of": NOW}
            case During(window):
                pair = self._pair("time_window", "time", "within", show_window(window))
                return pair | self._clock() if "missing" in pair else pair
            case From(blocks):
                sent_keys = {key for key in ("ip", "ip_address") if context.get(key) is not None}
                key = "ip_address" if sent_keys == {"ip_address"} else "ip"
                return self._pair("ip_allowlist", key, "in", list(blocks))

    def _pair(self, section: str, key: str, op: str, constant: Json) -> dict[str, Any]:
        """Returns a constant and the actual value. PERF: many conditions may compare one long value; one reads it."""
        value, length = shown("value", constant)
        found = self._actual.get((section, key))
        if found is None:
            sent = self._sent(section, key)
            is_kept = sent is not None and self._is_unsent(section, key)
            found = self._actual[section, key] = (_KEPT, 0) if is_kept else _shown_value(sent)
        compared, more = found
        self._characters -= _CHARACTERS_OF_A_CONDITION + len(key) + length + more
        self.truncated = self.truncated or "value_cut" in value or "actual_cut" in compared
        return {"section": section, "key": key, "op": op, **value, **compared}

    def _clock(self) -> dict[str, Any]:
        """Returns the service's instant, which a window reads if the caller sent none (C8)."""
        instant = from_seconds(self._asked[-1])
        return {"clock": show_instant(instant)} if EARLIEST <= instant < END else {}

    def _is_unsent(self, section: str, key: str) -> bool:
        return not reads_own_key(section, key) and is_unsent(self._added, section, key)

    def _sent(self, section: str, key: str, groups: bool = False) -> Json:
        """Returns the value that a condition reads, or None if it is absent. `groups` asks for the subject's (X1)."""
        if groups:
            return self._memberships.ids
        if section not in self._sections:
            return finite(self._sections["context_attrs"].get(key), "context_attrs", key)
        if reads_own_key(section, key):
            return self._own[section][key]
        return finite(read(self._sections[section], key, steps_of(key)), section, key)


def _without_value(pair: dict[str, Any]) -> dict[str, Any]:
    """Returns a reference without the value that it named."""
    return {name: one for name, one in pair.items() if name not in ("value", "value_cut")} | {"value_hidden": True}


def _text_of(referred: Json) -> Json:
    return referred.text if isinstance(referred, Unreadable) else referred


def _shown_value(sent: Json) -> tuple[dict[str, Any], int]:
    if isinstance(sent, Unreadable):
        text, length = shown("actual", sent.text)
        return text | {"unreadable": True}, length
    return ({"missing": True}, 0) if sent is None else shown("actual", sent)


def _grant(id: str, group: str | None) -> dict[str, Any]:
    by = {} if group is None else {"held_by": {"group": group}}
    return {"id": id, "kind": "grant", "effect": "ALLOW", "path": "direct", "holds": True, **by, "conditions": []}
