"""Finds where a right comes from: the policies whose conditions hold as far as they are known, and the grants.

A policy counts if none of its conditions on known values fails, as in S6, and so does a DENY. A condition on the
resource, the action or the request is left open.
"""

from collections.abc import Collection, Iterable, Iterator
from itertools import repeat
from typing import Final, Literal, NamedTuple, TypeAlias

from ...bundles.conditions.attribute_keys import read, reads_own_key, steps_of
from ...bundles.conditions.comparisons import predicate
from ...bundles.conditions.references import GROUPS
from ...bundles.program.clauses import AgainstNow, Atom, Clause, Comparison, Rate, Reference, is_gate
from ...bundles.program.demands import Demand
from ..decisions.decide import specialised_for
from ..decisions.held_roles import HeldRoles, held_roles
from ..filters.attribute_reads import attribute_names
from ..requests.members import NO_ATTRIBUTES
from ..requests.searches import ResourceSearch
from ..rules.attributes import Asked, Test
from ..rules.conditions import Conjunction, never
from ..snapshot import Snapshot
from .direct import grants_in_force
from .searchers import Searcher, searcher_of

RATE_LIMIT: Final = "rate_limit"
"""The name of a rate limit among what a right, or the answer to who can, leaves open. It is no attribute, so searches
do not name it (S6)."""

_SUBJECT: Final = "subject."
_RESOURCE: Final = "resource."

Extent: TypeAlias = Literal["all", "some", "none"]
"""Every resource of the type, or those that conditions or a grant select. A policy that does not count is on `none`."""


class Source(NamedTuple):
    """A policy or a grant that a right comes from, or a DENY that takes it away.

    `left_open` names what it depends on besides, in the words of S6, and `RATE_LIMIT`. `held_by` says how the subject
    comes to it, as a proof does (D10).
    """

    kind: Literal["policy", "grant"]
    id: str
    effect: str
    on: Extent
    left_open: tuple[str, ...] = ()
    held_by: dict[str, str] | None = None

    @property
    def is_certain(self) -> bool:
        """True if it counts for each resource, whatever a request says."""
        return self.on == "all" and not self.left_open


def sources_for(snapshot: Snapshot, search: ResourceSearch, now: float) -> Iterator[Source]:
    """Yields the policies that count for the subject of a search, the other ones on the action, and then its grants."""
    rules, action = snapshot.rules.types.get(search.resource_type), search.action.name
    if rules is None or action not in rules.type.actions:
        return
    searcher = searcher_of(snapshot, search.subject, now)
    specialised = specialised_for(snapshot, searcher.holder, rules.type.name, action)
    assert specialised is not None, "the type is declared"
    roles = held_roles(snapshot, searcher.type, searcher.id, now)
    counting: list[Source] = []
    for rule in (*specialised.denies, *specialised.allows):
        found = _policy(rule.clause, rule.body, rules.type.name, _Known(searcher, now))
        if found is not None:
            counting.append(found._replace(held_by=_held_by(roles, rule.clause)))
    yield from counting
    yield from _others(rules.every(action), counting)
    for grant, group in grants_in_force(snapshot, searcher.holder, rules.number, action, now):
        yield Source("grant", grant, "ALLOW", "some", held_by=None if group is None else {"group": group})


def sources_for_role(snapshot: Snapshot, role: str, resource_type: str, action: str) -> Iterator[Source]:
    """Yields the policies that count for a holder of this role alone, and the others. No attribute is known."""
    rules = snapshot.rules.types.get(resource_type)
    if rules is None or action not in rules.type.actions:
        return
    every, counting = rules.every(action), list[Source]()
    for clause, body in sorted(every, key=lambda one: one[0].effect == "ALLOW"):
        applies = clause.roles is None or role in clause.roles
        found = _policy(clause, body, rules.type.name, None) if applies and role not in clause.except_roles else None
        if found is not None:
            counting.append(found)
    yield from counting
    yield from _others(every, counting)


def is_limited(sources: Iterable[Source]) -> bool:
    """Returns whether a right hangs on a rate limit: an ALLOW has one, and no other ALLOW gives all without."""
    found = list(sources)
    if any(one.effect == "DENY" and one.is_certain for one in found):
        return False
    allows = [one for one in found if one.effect == "ALLOW"]
    return any(RATE_LIMIT in one.left_open for one in allows) and not any(one.is_certain for one in allows)


def _others(every: Iterable[tuple[Clause, Conjunction]], counting: Collection[Source]) -> Iterator[Source]:
    ids = {one.id for one in counting}
    for clause, _ in every:
        if clause.policy not in ids:
            yield Source("policy", clause.policy, clause.effect, "none")


class _Known(NamedTuple):
    """A subject, whose attributes are known, and the instant."""

    subject: Searcher
    now: float

    def holds(self, test: Test) -> bool:
        type, id, s, holder, _ = self.subject
        asked: Asked = type, id, s, None, NO_ATTRIBUTES, NO_ATTRIBUTES, NO_ATTRIBUTES, holder, self.now
        return test(*asked)

    def fails(self, atom: Atom, effect: str) -> bool:
        """Returns whether a comparison fails since an attribute of the subject is absent (C2, X2)."""
        if not isinstance(atom, Comparison | Reference | AgainstNow):
            return False
        if self._lacks(atom.section, atom.key):
            return True
        if not isinstance(atom, Reference) or atom.value_of == GROUPS or effect == "DENY":
            return False
        return self._lacks(atom.value_of.section, atom.value_of.key)

    def _lacks(self, section: str, key: str) -> bool:
        if section != "subject_attrs" or reads_own_key(section, key):
            return False
        return read(self.subject.attributes, key, steps_of(key)) is None


def _policy(clause: Clause, body: Conjunction, type: str, known: _Known | None) -> Source | None:
    """Returns a policy as a source, or None if a condition fails for the subject, or for each resource of the type."""
    on: Extent = "all"
    names = set() if body.rate is None else {RATE_LIMIT}
    for atom, test, demands in zip(clause.body, body.by_atom, body.demands or repeat(()), strict=False):
        if isinstance(atom, Rate):
            continue  # no search decides it (C10)
        if test is never or (known is not None and known.fails(atom, clause.effect)):
            return None
        if _is_about_type(atom):
            if not _holds_for_type(atom, type):
                return None
        elif opened := _opened(atom, demands, known):
            names.update(name for name in opened if not name.startswith(_RESOURCE))
            on = "some" if any(name.startswith(_RESOURCE) for name in opened) else on
        elif known is not None and not known.holds(test):
            return None
    return Source("policy", clause.policy, clause.effect, on, tuple(sorted(names)))


def _opened(atom: Atom, demands: Iterable[Demand], known: _Known | None) -> tuple[str, ...]:
    """Returns the names of what a condition reads and what is not known. It is empty if only the subject is read."""
    found = attribute_names(atom, tuple(demands))
    if known is None:
        return found
    others = tuple(name for name in found if not name.startswith(_SUBJECT))
    return others if others or not is_gate(atom) else found


def _is_about_type(atom: Atom) -> bool:
    return isinstance(atom, Comparison) and atom.section == "resource_attrs" and atom.key == "type"


def _holds_for_type(atom: Atom, type: str) -> bool:
    assert isinstance(atom, Comparison)
    return bool(predicate(atom.op, atom.value)(type))


def _held_by(roles: HeldRoles, clause: Clause) -> dict[str, str] | None:
    """Returns the role by which a policy applies: one that is assigned to the subject itself goes first (P2)."""
    if clause.roles is None:
        return None
    own = roles.direct.intersection(clause.roles)
    if own:
        return {"role": min(own)}
    role = min(roles.through.keys() & set(clause.roles), default=None)
    return None if role is None else {"role": role, "group": roles.through[role]}
