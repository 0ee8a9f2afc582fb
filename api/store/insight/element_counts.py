"""Counts the elements of each list of an environment, in milliseconds once they were counted before."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from ....compiler.model.elements import LISTS, SINGLE_MEMBERS
from ..database.connection import Connection
from ..environments import Environment
from ..history.change_log import revisions_between

COUNTED: Final = tuple(name for name in LISTS if name not in SINGLE_MEMBERS)
"""The lists of a model document."""

MOST_REVISIONS: Final = 1_000
"""Revisions whose changes are added to earlier counts. With more, the elements are counted again."""

MOST_REMEMBERED: Final = 1_000
"""Environments whose counts are remembered."""


class CountsByList(NamedTuple):
    """The number of elements of each list at a revision."""

    revision: int
    counts: Mapping[str, int]


class RememberedCounts:
    """The counts of environments at the last revision that was asked for. Several threads may use them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], CountsByList] = {}

    def at(self, db: Connection, environment: Environment) -> CountsByList:
        """Returns the counts at the newest revision.

        PERF: to count a million subjects takes 0.15 s. The summaries of the revisions since the last time say the same.
        """
        key = environment.uuid, environment.epoch
        known = self._known.get(key)
        found = None if known is None else _later(db, environment, known)
        if found is None:
            found = CountsByList(environment.revision, {name: _count(db, environment, name) for name in COUNTED})
        if len(self._known) >= MOST_REMEMBERED and key not in self._known:
            self._known = {}
        self._known[key] = found
        return found


def _later(db: Connection, environment: Environment, known: CountsByList) -> CountsByList | None:
    """Returns earlier counts brought up to date, or None if the changes since are too many or not all known."""
    number = environment.revision - known.revision
    if number == 0:
        return known
    if not 0 < number <= MOST_REVISIONS:
        return None
    changes = revisions_between(db, environment, known.revision, environment.revision)
    if len(changes) != number:
        return None
    counts = dict(known.counts)
    for change in changes:
        for name in counts.keys() & change.changes.keys():
            counts[name] += change.changes[name]["added"] - change.changes[name]["removed"]
    return CountsByList(environment.revision, counts)


def _count(db: Connection, environment: Environment, name: str) -> int:
    # The index of the keys: SQLite would take one that has the bodies too.
    query = f"SELECT count(*) FROM {name} INDEXED BY sqlite_autoindex_{name}_1 WHERE environment = ?"
    (number,) = db.execute(query, (environment.number,)).fetchone()
    return int(number)
