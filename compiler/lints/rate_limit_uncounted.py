"""The lint `rate-limit-uncounted`: a rate limit is false without counters, and Writ has no counters yet (C10)."""

from collections.abc import Iterator, Sequence

from ...bundles.wording import quoted
from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from .prepared_policy import PreparedPolicy


def rate_limit_uncounted(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each ALLOW with a rate limit, which never allows in this version."""
    for prepared in policies:
        conditions = prepared.policy.conditions
        if conditions is not None and conditions.rate_limit is not None:
            message = (
                f"the ALLOW {quoted(prepared.policy.id)} has a rate limit, so it never allows: "
                "Writ does not count evaluations yet"
            )
            path = ("policies", prepared.index, "conditions", "rate_limit")
            help_text = "leave `rate_limit` out"
            yield Finding("rate-limit-uncounted", message, path, help_text, severity="warning", at_key=True)
