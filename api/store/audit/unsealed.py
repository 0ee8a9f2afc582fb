"""The entries of the audit log that no seal covers yet, for the metrics and for a check of an installation."""

from typing import NamedTuple

from ....bundles.conditions.instants import SECOND, parse_instant
from ..database.connection import Connection
from .seals import Seal


class Unsealed(NamedTuple):
    """The number of unsealed entries, and when the last seal was made (epoch seconds).

    `since` is the time of the oldest unsealed entry, or None if there is none or its time can't be read.
    Without a seal that can be read, all entries are unsealed, and `sealed_at` is 0. If the log lacks entries that were
    sealed, `entries` is their number, and `sealed_at` is 0: a log that was cut never looks sealed.
    """

    entries: int
    sealed_at: float
    since: float | None = None


def unsealed_after(db: Connection, seal: Seal | None) -> Unsealed:
    """Returns the entries after a seal of the head, the newest that is known, or None if none is."""
    first, last = db.execute("SELECT min(number), max(number) FROM audit").fetchone()
    entries, last = (0, 0) if last is None else (int(last) - int(first) + 1, int(last))
    at = None if seal is None else _seconds(seal.time)
    if seal is None or at is None:
        return Unsealed(entries, 0.0, _since(db, 0))
    if seal.number > last:
        return Unsealed(seal.number - last, 0.0)
    return Unsealed(last - seal.number, at, _since(db, seal.number))


def _since(db: Connection, number: int) -> float | None:
    row = db.execute("SELECT time FROM audit WHERE number > ? ORDER BY number LIMIT 1", (number,)).fetchone()
    return None if row is None else _seconds(str(row[0]))


def _seconds(time: str) -> float | None:
    try:
        return parse_instant(time) / SECOND
    except ValueError:
        return None
