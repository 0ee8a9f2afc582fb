"""The lint `rate-limit-uncounted`: without counters the condition is false, and nobody keeps any yet (C10)."""

from collections.abc import Iterator, Sequence

from ...bundles.wording import quoted
from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from .prepared_policy import PreparedPolicy


def rate_limit_uncounted(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warn of an ALLOW with a rate limit, which never allows in this version."""
    for prepared in policies:
        conditions = prepared.policy.conditions
        if conditions is not None and conditions.rate_limit is not None:
            message = (
                "the server keeps no counters yet, and without them a rate limit is false: "
                f"the ALLOW {quoted(prepared.policy.id)} never allows"
            )
            path = ("policies", prepared.index, "conditions", "rate_limit")
            help_text = "leave `rate_limit` out until it is counted"
            yield Finding("rate-limit-uncounted", message, path, help_text, severity="warning", at_key=True)
