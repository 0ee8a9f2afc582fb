"""Writes time zones as tables of their offsets from UTC, so that OPA's own time zones take no part (C8)."""

from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from ...bundles.zones import decode_zone, transition_seconds

Change = list[int]
"""The second of a change since 1970, and the offset in seconds from then on."""

BLOCK_SECONDS: Final = 2**25
"""The changes are listed in blocks of about a year, so that a look-up reads a few changes only."""

CYCLE_SECONDS: Final = 146_097 * 86_400
"""400 years. Their days are whole weeks, so rules like `the last Sunday in March` repeat after them."""

_WEEK: Final = 7 * 86_400
_MOST_ZONES: Final = 64


@lru_cache(_MOST_ZONES)
def zone_table(name: str, data: bytes) -> dict[str, Any]:
    """Returns the table of a zone from its TZif file: `before`, `start`, `blocks`, `end`, `after` and `repeats`.

    `blocks` list the changes from `start` to `end`. From `end` on, they repeat every 400 years, or the offset is
    `after`. Raises BundleError if the file is damaged.
    """
    zone = decode_zone(name, data)
    stated = transition_seconds(data)
    if not stated:
        return _constant(_offset(zone, 0))
    rule_start = stated[-1] + 1
    ruled = list(_changes_between(zone, rule_start, rule_start + CYCLE_SECONDS))
    changes = [[second, _offset(zone, second)] for second in stated] + ruled
    end = rule_start + CYCLE_SECONDS if ruled else rule_start
    before = _offset(zone, stated[0] - 1)
    blocks = list(_blocks(changes, before, stated[0], end))
    after = changes[-1][1]
    return {"before": before, "start": stated[0], "blocks": blocks, "end": end, "after": after, "repeats": bool(ruled)}


def _constant(offset: int) -> dict[str, Any]:
    return {"before": offset, "start": 0, "blocks": [], "end": 0, "after": offset, "repeats": False}


def _offset(zone: tzinfo, second: int) -> int:
    offset = datetime.fromtimestamp(second, UTC).astimezone(zone).utcoffset()
    return 0 if offset is None else round(offset.total_seconds())


def _changes_between(zone: tzinfo, start: int, end: int) -> Iterator[Change]:
    """Yields the changes by rule. No rule has a summer time of less than a week."""
    weeks = [*range(start, end, _WEEK), end]
    for early, late in pairwise((second, _offset(zone, second)) for second in weeks):
        if early[1] != late[1]:
            yield [_change_within(zone, early, late[0]), late[1]]


def _change_within(zone: tzinfo, early: tuple[int, int], late: int) -> int:
    """Returns the first second whose offset is not that of `early`."""
    same, offset = early
    while late - same > 1:
        middle = (same + late) // 2
        if _offset(zone, middle) == offset:
            same = middle
        else:
            late = middle
    return late


def _blocks(changes: list[Change], before: int, start: int, end: int) -> Iterator[list[Change]]:
    """Yields for each block the offset at its start and the changes in it."""
    offset, place = before, 0
    for block in range(start // BLOCK_SECONDS, (end - 1) // BLOCK_SECONDS + 1):
        found: list[Change] = [[block * BLOCK_SECONDS, offset]]
        while place < len(changes) and changes[place][0] < (block + 1) * BLOCK_SECONDS:
            found.append(changes[place])
            offset = changes[place][1]
            place += 1
        yield found
