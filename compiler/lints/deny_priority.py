"""The lint `deny-priority`: a DENY wins whatever the priorities are, so its priority should be the higher one (D7)."""

from collections.abc import Iterator, Sequence

from ...bundles.wording import quoted
from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from .overlap import Budget, can_overlap
from .overlap_candidates import OverlapCandidates
from .prepared_policy import PreparedPolicy


def deny_priority(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each DENY whose priority is not above that of an ALLOW that it overlaps. Raises OutOfSteps."""
    candidates = OverlapCandidates(policies)
    budget = Budget(draft.limits.lint_steps)
    for deny in policies:
        if deny.policy.effect == "DENY":
            allow = _highest(deny, candidates, budget)
            if allow is not None:
                yield _finding(deny, allow)


def _highest(deny: PreparedPolicy, candidates: OverlapCandidates, budget: Budget) -> PreparedPolicy | None:
    """Returns the ALLOW with the highest priority that `deny` overlaps, or None if that priority is below its own."""
    for allow in candidates.of(deny):
        if allow.policy.priority < deny.policy.priority:
            return None
        if can_overlap(deny, allow, budget):
            return allow
    return None


def _finding(deny: PreparedPolicy, allow: PreparedPolicy) -> Finding:
    mine, its = deny.policy.priority, allow.policy.priority
    message = (
        f"the priority {quoted(mine)} of the DENY {quoted(deny.policy.id)} is not above the priority {quoted(its)} "
        f"of the ALLOW {quoted(allow.policy.id)}, which it overlaps"
    )
    help_text = f"a DENY wins whatever the priorities are; to show this, give it a priority above {quoted(its)}"
    return Finding("deny-priority", message, ("policies", deny.index, "priority"), help_text, severity="warning")
