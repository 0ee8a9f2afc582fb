"""The order of the routes at each revision. The change log has the routes themselves, but not their order.

A row has the order before a revision that did more than add routes at the end. So the order at a revision is that
before the next such revision, without the routes that were added in between.
"""

import zlib
from bisect import bisect_left
from collections.abc import Iterable, Sequence

import msgspec

from ....compiler.model.elements import ElementKind
from ..database.connection import Connection
from ..elements.tables import TABLES

_ids = msgspec.json.Decoder(list[str])


def record_order(db: Connection, environment: int, revision: int, before: Sequence[str] | None) -> frozenset[str]:
    """Store the order of the routes before `revision`, if it is not just the beginning of that now.

    Returns the ids of the routes that moved among the others. `before` is None if routes were added at the end at most.
    """
    found = moved_since(db, environment, before)
    if before is None or found is None:
        return frozenset()
    packed = zlib.compress(msgspec.json.encode(before), 1)
    db.post("INSERT INTO route_orders VALUES (?, ?, ?)", (environment, revision, packed))
    return found


def moved_since(db: Connection, environment: int, before: Sequence[str] | None) -> frozenset[str] | None:
    """Returns the ids of the routes that moved among the others, or None if `before` is just the beginning of the
    order now.
    """
    if before is None:
        return None
    now = TABLES[ElementKind.ROUTES].ids(db, environment)
    return None if now[: len(before)] == before else moved(before, now)


def order_at(db: Connection, environment: int, revision: int) -> list[str]:
    """Returns the ids of the routes in their order at a revision, and perhaps others that were added later."""
    query = "SELECT ids FROM route_orders WHERE environment = ? AND revision > ? ORDER BY revision LIMIT 1"
    row = db.execute(query, (environment, revision)).fetchone()
    return TABLES[ElementKind.ROUTES].ids(db, environment) if row is None else _ids.decode(zlib.decompress(row[0]))


def last_move(db: Connection, environment: int, since: int) -> int | None:
    """Returns the last revision after `since` that changed the order of the routes, or None."""
    query = "SELECT max(revision) FROM route_orders WHERE environment = ? AND revision > ?"
    (found,) = db.execute(query, (environment, since)).fetchone()
    return None if found is None else int(found)


def moved(before: Iterable[str], after: Iterable[str]) -> frozenset[str]:
    """Returns the fewest ids whose moves lead from one order to the other. Ids in only one of them do not count.

    >>> sorted(moved("abcd", "dabc")), sorted(moved("abc", "axc"))
    (['d'], [])
    """
    new = list(after)
    old = {id: place for place, id in enumerate(before)}
    kept = [id for id in new if id in old]
    return frozenset(kept) - _longest_ascent(kept, [old[id] for id in kept])


def _longest_ascent(ids: Sequence[str], places: Sequence[int]) -> set[str]:
    """Returns the ids of a longest run of ascending places. The ids that are not in it are those that moved."""
    ends: list[int] = []
    numbers: list[int] = []
    previous: list[int] = []
    for number, place in enumerate(places):
        length = bisect_left(ends, place)
        previous.append(numbers[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        numbers[length : length + 1] = [number]
    found = set[str]()
    number = numbers[-1] if numbers else -1
    while number >= 0:
        found.add(ids[number])
        number = previous[number]
    return found
