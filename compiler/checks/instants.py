"""The instants at which grants and assignments expire can be read (P4)."""

from collections.abc import Iterator, Sequence

from ...bundles.conditions.instants import parse_instant
from ..diagnostics.diagnostic import Finding
from ..model.elements import Assignment, Grant
from .draft import Draft

MAX_REMEMBERED = 65_536


def check_instants(draft: Draft) -> Iterator[Finding]:
    """Every `expires_at` is an RFC 3339 instant."""
    yield from _expiries("grants", draft.model.grants)
    yield from _expiries("assignments", draft.model.assignments)


def _expiries(list_name: str, elements: Sequence[Grant | Assignment]) -> Iterator[Finding]:
    """PERF: instants repeat, and reading one takes 4 µs."""
    sound: set[str | None] = {None}
    for index, element in enumerate(elements):
        if element.expires_at is None or element.expires_at in sound:
            continue
        try:
            parse_instant(element.expires_at)
        except ValueError as ex:
            yield Finding("bad-instant", str(ex), (list_name, index, "expires_at"))
        else:
            if len(sound) < MAX_REMEMBERED:
                sound.add(element.expires_at)
