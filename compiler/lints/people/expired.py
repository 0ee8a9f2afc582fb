"""The lint `expired`: an assignment, a grant or a policy that ended before now (P4, C8)."""

from collections.abc import Iterator, Sequence

from ....bundles.conditions.instants import from_seconds, parse_instant
from ....bundles.wording import Path, quoted
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..prepared_policy import PreparedPolicy


def expired(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each `expires_at` of an assignment or a grant, and `not_after` of a policy, that is not after now.

    It needs to know what instant it is.
    """
    if draft.now is None:
        return
    now = from_seconds(draft.now)
    for name in ("assignments", "grants"):
        for index, element in enumerate(getattr(draft.model, name)):
            if element.expires_at is not None:
                yield from _past(element.expires_at, now, (name, index, "expires_at"), f"this {name[:-1]} ended at")
    for prepared in policies:
        window = prepared.policy.conditions and prepared.policy.conditions.time_window
        if window and window.not_after is not None:
            path: Path = ("policies", prepared.index, "conditions", "time_window", "not_after")
            policy = prepared.policy
            yield from _past(
                window.not_after, now, path, f"the {policy.effect} {quoted(policy.id)} holds no more since"
            )


def _past(text: str, now: int, path: Path, said: str) -> Iterator[Finding]:
    try:
        is_past = parse_instant(text) <= now
    except ValueError:  # an error, which the checks report
        return
    if is_past:
        yield Finding("expired", f"{said} {quoted(text)}", path, severity="warning")
