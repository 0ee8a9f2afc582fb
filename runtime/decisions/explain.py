"""Explains a decision: the proof has every candidate and the values that its conditions compared (D10)."""

import json
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from ...bundles.conditions.instants import EARLIEST, END, from_seconds, show_instant
from ...bundles.conditions.keys import read, reads_own_key, steps_of
from ...bundles.conditions.values import Json
from ...bundles.conditions.windows import show_window
from ...bundles.program.clauses import Atom, Comparison, During, From, Rate
from ..requests.evaluations import EvaluationRequest
from ..requests.members import Attributes
from ..rules.attributes import Asked
from ..rules.reasons import AccessPath
from ..rules.rule import Rule
from ..snapshot import Snapshot
from .decide import is_registered, specialised_for, subject_of

MAX_SHOWN_CHARACTERS = 1_024
"""A longer value is cut: a batch must not turn one large attribute into a thousand copies of it."""

MAX_SHOWN_POLICIES = 1_000
"""Of more policies, a proof shows those that hold first, then the first of the others, and says how many there are."""


def explain(snapshot: Snapshot, request: EvaluationRequest, now: float) -> dict[str, Any]:
    """Returns `{candidates: [...]}`: grants by id, then DENYs and ALLOWs, each in the order of D8."""
    (stype, subject_by, sname, _, action, _, rtype, resource_by, rname, *_) = request
    sid, holder = subject_of(snapshot, stype, subject_by, sname, now)
    specialised = specialised_for(snapshot, holder, rtype, action)
    if specialised is None:
        return {"candidates": []}
    rid = rname if resource_by == "id" else snapshot.state.resource_id(specialised.type, resource_by, rname)
    if specialised.closed and not is_registered(snapshot, specialised.type, rid):
        return {"candidates": []}
    grants = snapshot.grants(holder, specialised.type, rid, now)
    covering = [grant.id for grant in grants if action in snapshot.state.action_sets[grant.actions]]
    proof = _Proof(request, sid, rid, now)
    rules = (*specialised.denies, *specialised.allows)
    shown = proof.most_telling(rules)
    cut = {"candidates_cut": len(rules)} if len(shown) < len(rules) else {}
    return {"candidates": [*map(_grant, covering), *map(proof.candidate, shown)], **cut}


def _grant(id: str) -> dict[str, Any]:
    return {
        "id": id,
        "kind": "grant",
        "effect": "ALLOW",
        "path": str(AccessPath.DIRECT),
        "holds": True,
        "conditions": [],
    }


class _Proof:
    """One request with its entities resolved. It proves candidates."""

    def __init__(self, request: EvaluationRequest, sid: str | None, rid: str | None, now: float):
        (stype, _, _, subject, _, properties, rtype, _, _, resource, context, _) = request
        self._asked: Asked = (stype, sid, subject, rid, resource, properties, context, now)
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

    def most_telling(self, rules: Sequence[Rule]) -> list[Rule]:
        """Returns the rules to show, in order."""
        if len(rules) <= MAX_SHOWN_POLICIES:
            return list(rules)
        holds = [all(test(*self._asked) for test in rule.body.tests) for rule in rules]
        places = sorted(range(len(rules)), key=lambda place: not holds[place])[:MAX_SHOWN_POLICIES]
        return [rules[place] for place in sorted(places)]

    def candidate(self, rule: Rule) -> dict[str, Any]:
        conditions = [
            {**self._compared(atom), "holds": test(*self._asked)}
            for atom, test in zip(rule.clause.body, rule.body.by_atom, strict=True)
        ]
        return {
            "id": rule.clause.policy,
            "kind": "policy",
            "effect": rule.clause.effect,
            "path": str(rule.path),
            "holds": all(condition["holds"] for condition in conditions),
            "conditions": conditions,
        }

    def _compared(self, atom: Atom) -> dict[str, Any]:
        """Returns the value that a condition reads, and its constant. A value that was not sent is `missing`."""
        context = self._sections["context_attrs"]
        match atom:
            case Comparison(section, key, op, value):
                # copied: the answer is its caller's, the constant is the program's
                shown = {"section": section, "key": key, "op": str(op), **_shown("value", deepcopy(value))}
                return shown | _actual(self._read(section, key))
            case During(window):
                shown = {"section": "time_window", "key": "time", "op": "within", "value": show_window(window)}
                return shown | (_actual(sent) if (sent := context.get("time")) is not None else self._clock())
            case From(blocks):
                sent = {key for key in ("ip", "ip_address") if context.get(key) is not None}
                key = "ip_address" if sent == {"ip_address"} else "ip"
                shown = {"section": "ip_allowlist", "key": key, "op": "in", "value": list(blocks)}
                return shown | _actual(context.get(key))
            case Rate(limit, window_seconds):
                rate = {"limit": limit, "window_seconds": window_seconds}
                return {"section": "rate_limit", "key": "rate", "op": "lte", "value": rate, "missing": True}

    def _clock(self) -> dict[str, Any]:
        """Returns the service's instant, which a window reads if the caller sent none (C8)."""
        instant = from_seconds(self._asked[-1])
        return {"missing": True, "clock": show_instant(instant)} if EARLIEST <= instant < END else {"missing": True}

    def _read(self, section: str, key: str) -> Json:
        if reads_own_key(section, key):
            return self._own[section][key]
        return read(self._sections[section], key, steps_of(key))


def _actual(value: Json) -> dict[str, Any]:
    return {"missing": True} if value is None else _shown("actual", value)


def _shown(name: str, value: Json) -> dict[str, Any]:
    """Returns a value under its name. Of a long value it returns the start of the JSON text, and marks it as cut."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):  # no JSON, an integer too long for text, or nested too deeply
        return {name: "", f"{name}_cut": True}
    if len(text) <= MAX_SHOWN_CHARACTERS:
        return {name: value}
    return {name: text[:MAX_SHOWN_CHARACTERS], f"{name}_cut": True}
