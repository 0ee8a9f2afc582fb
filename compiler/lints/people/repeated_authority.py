"""The lint `repeated-authority`: the same access by two ways, so that to end one of them does not end the access."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec.structs import astuple

from ....bundles.wording import quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...lowering.lower import expand_actions
from ...model.elements import Assignment, Conditions, Grant, Policy, SubjectRef
from ..prepared_policy import Pair, PreparedPolicy
from .role_holders import ALWAYS, Groups, span_of


def repeated_authority(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about direct assignments and grants that give nothing more than another way does.

    An assignment is repeated if a group that contains the subject has the role for at least the same time. A grant is
    repeated if ALLOW policies without conditions and exceptions give all its actions, to everyone or to roles that the
    subject holds without a limit in time.
    """
    holders = _Holders(draft)
    yield from _assignments(draft, holders)
    yield from _grants(draft, holders, policies)


class _Holders:
    """The assignments of a model to groups and to subjects."""

    def __init__(self, draft: Draft):
        self._groups = Groups(draft.model)
        self._by_group: dict[str, dict[str, list[Assignment]]] = defaultdict(lambda: defaultdict(list))
        self._forever: dict[SubjectRef, set[str]] = defaultdict(set)
        self._forever_by_group: dict[str, set[str]] = defaultdict(set)
        for assignment in draft.model.assignments:
            if assignment.group is not None:
                self._by_group[assignment.group][assignment.role].append(assignment)
                if span_of(assignment) == ALWAYS:
                    self._forever_by_group[assignment.group].add(assignment.role)
            elif assignment.subject is not None and span_of(assignment) == ALWAYS:
                self._forever[assignment.subject].add(assignment.role)

    def group_with(self, assignment: Assignment) -> str | None:
        """Returns a group that gives the subject of an assignment the same role for at least the same time, or None."""
        span = span_of(assignment)
        if assignment.subject is None or span is None or not self._by_group:
            return None
        for group in self._groups.of(assignment.subject):
            for other in self._by_group[group].get(assignment.role, ()) if group in self._by_group else ():
                others = span_of(other)
                if others is not None and others.contains(span):
                    return group
        return None

    def roles_of(self, holder: SubjectRef | str) -> set[str]:
        """Returns the roles that a subject, or each member of a group, holds without a limit in time."""
        if isinstance(holder, str):
            groups, own = (holder, *self._groups.above.get(holder, ())), set[str]()
        else:
            groups, own = (*self._groups.of(holder),), self._forever.get(holder, set())
        return own.union(*(self._forever_by_group.get(group, ()) for group in groups))


def _assignments(draft: Draft, holders: _Holders) -> Iterator[Finding]:
    for index, assignment in enumerate(draft.model.assignments):
        group = holders.group_with(assignment)
        if group is not None and assignment.subject is not None:
            subject, role = quoted(assignment.subject.id), quoted(assignment.role)
            message = f"{subject} has the role {role} by the group {quoted(group)} too"
            yield Finding("repeated-authority", message, ("assignments", index), severity="warning")


def _grants(draft: Draft, holders: _Holders, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    unconditional = _Unconditional(policies)
    for index, grant in enumerate(draft.model.grants if unconditional.any else ()):
        policy = unconditional.policy_for(draft, grant, holders)
        if policy is not None:
            holder = grant.group if grant.subject is None else grant.subject.id
            who = quoted(holder) if grant.group is None else f"each member of {quoted(holder)}"
            message = f"{who} may do all of this grant by the ALLOW {quoted(policy)} too"
            yield Finding("repeated-authority", message, ("grants", index), severity="warning")


class _Unconditional:
    """The ALLOW policies without any condition or exception, by type and action."""

    def __init__(self, policies: Sequence[PreparedPolicy]):
        self._for: dict[Pair, list[Policy]] = defaultdict(list)
        self._giving: dict[tuple[str, tuple[str, ...]], Sequence[Sequence[Policy]]] = {}
        for prepared in policies:
            policy = prepared.policy
            limits = (policy.except_roles, *astuple(policy.conditions or Conditions()))
            if policy.effect == "ALLOW" and not any(limits):
                for pair in prepared.pairs:
                    self._for[pair].append(policy)

    @property
    def any(self) -> bool:
        """True if there are any."""
        return bool(self._for)

    def policy_for(self, draft: Draft, grant: Grant, holders: _Holders) -> str | None:
        """Returns the id of an ALLOW for the first action if ALLOW policies give all actions of a grant, or None."""
        giving = self._policies_giving(draft, grant.resource.type, grant.actions)
        if not giving:
            return None
        roles = holders.roles_of(grant.subject or grant.group or "")
        found = [
            next((one.id for one in many if one.roles is None or roles.intersection(one.roles)), None)
            for many in giving
        ]
        return found[0] if all(one is not None for one in found) else None

    def _policies_giving(self, draft: Draft, type: str, actions: tuple[str, ...]) -> Sequence[Sequence[Policy]]:
        """Returns the policies for each of the actions, or nothing if one of them has none."""
        known = self._giving.get((type, actions))
        if known is None:
            covered = sorted(expand_actions(actions, draft.types[type])) if type in draft.types else []
            known = [self._for.get((type, action), []) for action in covered]
            known = self._giving[type, actions] = known if all(known) else []
        return known
