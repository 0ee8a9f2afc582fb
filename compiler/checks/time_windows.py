"""Checks the time windows of policies (C8)."""

from collections.abc import Iterator

from ...bundles.wording import quoted
from ..diagnostics.diagnostic import Finding
from ..diagnostics.zone_names import suggest_zone
from ..model.parse_window import window_faults
from .draft import Draft


def check_time_windows(draft: Draft) -> Iterator[Finding]:
    """Finds windows that can't be read, are never open, set no limit, or name an unknown time zone."""
    for index, policy in enumerate(draft.model.policies):
        window = policy.conditions.time_window if policy.conditions else None
        if window is None:
            continue
        path = ("policies", index, "conditions", "time_window")
        for fault in window_faults(window):
            at = (*path, fault.member) if fault.member else path
            yield Finding(fault.code, str(fault), at, fault.help)
        if window.timezone is not None and draft.zones.lacks(window.timezone):
            message = f"unknown time zone {quoted(window.timezone)}"
            yield Finding(
                "unknown-zone", message, (*path, "timezone"), suggest_zone(window.timezone, draft.zones.known)
            )
