"""The lint `deny-priority`: a DENY wins whatever the priorities, and these should say so (D7)."""

from collections.abc import Iterator, Sequence

from ...bundles.wording import quoted
from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from .overlap import Budget, can_overlap
from .overlap_candidates import OverlapCandidates
from .prepared_policy import PreparedPolicy


def deny_priority(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warn of a DENY whose priority is not above that of an ALLOW that it overlaps. Raises OutOfSteps."""
    candidates = OverlapCandidates(policies)
    budget = Budget(draft.limits.lint_steps)
    for deny in policies:
        if deny.policy.effect == "DENY":
            allow = _highest(deny, candidates, budget)
            if allow is not None:
                yield _finding(deny, allow)


def _highest(deny: PreparedPolicy, candidates: OverlapCandidates, budget: Budget) -> PreparedPolicy | None:
    """The ALLOW of the highest priority that `deny` overlaps, where that is not below its own."""
    for allow in candidates.of(deny):
        if allow.policy.priority < deny.policy.priority:
            return None
        if can_overlap(deny, allow, budget):
            return allow
    return None


def _finding(deny: PreparedPolicy, allow: PreparedPolicy) -> Finding:
    mine, its = deny.policy.priority, allow.policy.priority
    message = (
        f"the DENY {quoted(deny.policy.id)} has the priority {quoted(mine)}, which is not above the {quoted(its)} "
        f"of the ALLOW {quoted(allow.policy.id)} that it overlaps"
    )
    help_text = f"the DENY wins all the same; a priority above {quoted(its)} says so"
    return Finding("deny-priority", message, ("policies", deny.index, "priority"), help_text, severity="warning")
