"""The lint `no-holder-left`: a policy for roles whose holders all are excepted, or all are denied (P6, D7)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec.structs import astuple

from ....bundles.wording import alternatives, quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...model.elements import Conditions, SubjectRef
from ..overlap import Budget
from ..prepared_policy import PreparedPolicy
from .role_holders import ALWAYS, Groups, span_of

_HELP: Final = "look at who holds these roles: `writ can` and the assignments say it"

_Subject: TypeAlias = tuple[str, str]


def no_holder_left(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each policy whose roles have holders, all of whom hold a role that keeps them out.

    Such a role is an exception of the policy, or for an ALLOW, one of a DENY without conditions on all that it allows.
    Only roles that are held without a limit in time keep a holder out. Raises OutOfSteps.
    """
    denies = [one for one in policies if _denies_always(one)]
    budget, holders = Budget(draft.limits.lint_steps), None
    for prepared in policies:
        roles = prepared.policy.roles
        out = _kept_out(prepared, denies, budget) if roles else frozenset()
        if roles and out:
            holders = holders or _Holders(draft, budget)
            if holders.all_hold(roles, out):
                yield _finding(prepared, out)


def _denies_always(prepared: PreparedPolicy) -> bool:
    policy = prepared.policy
    limits = (policy.except_roles, *astuple(policy.conditions or Conditions()))
    return policy.effect == "DENY" and policy.roles is not None and not any(limits)


def _kept_out(prepared: PreparedPolicy, denies: Iterable[PreparedPolicy], budget: Budget) -> frozenset[str]:
    """Returns the roles whose holders the policy can't be for. A DENY of all its roles has `dead-allow`."""
    found = set(prepared.policy.except_roles or ())
    for deny in denies if prepared.policy.effect == "ALLOW" else ():
        budget.spend(1)
        roles = deny.policy.roles or ()
        if prepared.pairs <= deny.pairs and not set(prepared.policy.roles or ()) <= set(roles):
            found.update(roles)
    return frozenset(found)


def _finding(prepared: PreparedPolicy, out: Iterable[str]) -> Finding:
    policy = prepared.policy
    held = alternatives(map(quoted, sorted(out)))
    message = (
        f"the {policy.effect} {quoted(policy.id)} applies to no subject: each holder of its roles also holds {held}"
    )
    return Finding("no-holder-left", message, ("policies", prepared.index, "roles"), _HELP, severity="warning")


class _Holders:
    """The holders of each role, and the roles that each holds without a limit in time."""

    def __init__(self, draft: Draft, budget: Budget):
        self._budget = budget
        self._by_role: dict[str, set[_Subject]] = defaultdict(set)
        self._always: dict[_Subject, set[str]] = defaultdict(set)
        given = [one for one in draft.model.assignments if one.group is not None]
        members = Groups(draft.model).members_of({one.group for one in given if one.group is not None})
        for one in draft.model.assignments:
            subjects = members.get(one.group, []) if one.group is not None else [_key(one.subject)]
            budget.spend(len(subjects))
            for subject in subjects:
                self._by_role[one.role].add(subject)
                if span_of(one) == ALWAYS:
                    self._always[subject].add(one.role)

    def all_hold(self, roles: Iterable[str], out: frozenset[str]) -> bool:
        """Returns whether there are holders of `roles`, and each always holds one of `out` too."""
        found = set[_Subject]().union(*(self._by_role.get(role, ()) for role in roles))
        self._budget.spend(len(found))
        return bool(found) and all(not out.isdisjoint(self._always.get(one, ())) for one in found)


def _key(subject: SubjectRef | None) -> _Subject:
    return ("", "") if subject is None else (subject.type, subject.id)
