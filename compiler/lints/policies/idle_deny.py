"""The lint `idle-deny`: a DENY of what nothing allows anyway."""

from collections.abc import Iterator, Sequence

from ....bundles.wording import quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..grant_index import GrantIndex
from ..overlap import Budget, can_overlap
from ..overlap_candidates import OverlapCandidates
from ..prepared_policy import PreparedPolicy


def idle_deny(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each DENY that certainly overlaps no ALLOW and no direct grant. Raises OutOfSteps."""
    denies = [prepared for prepared in policies if prepared.policy.effect == "DENY" and prepared.is_satisfiable]
    budget = Budget(draft.limits.lint_steps)
    allows, grants = OverlapCandidates(policies), GrantIndex(draft, denies)
    for deny in denies:
        is_met = any(can_overlap(deny, allow, budget) for allow in allows.of(deny))
        if not is_met and grants.grant_for(deny, budget) is None:
            message = f"the DENY {quoted(deny.policy.id)} changes nothing: no ALLOW and no grant allows what it denies"
            yield Finding("idle-deny", message, ("policies", deny.index, "id"), severity="warning")
