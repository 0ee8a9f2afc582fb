"""Retention: the oldest entries are removed, and a signed checkpoint takes their place."""

from typing import Final

from sqlite_utils import Database

from api.store.actor import SERVICE
from api.store.audit.entries import Entry, append
from api.store.audit.events import Event
from api.store.audit.seals import Purpose, Sealer, add_seal

MOST_REMOVED: Final = 10_000
"""Entries that one transaction removes, so that no writer waits for long."""


def cut(db: Database, before: str, time: str, sealer: Sealer) -> int:
    """Remove the oldest entries, up to the first that is not from `before` that time; gives back how many.

    The newest entry stays. `time` is that of the seal. Raises what `Sealer.sign` raises; then nothing is removed.
    """
    bounds = db.execute("SELECT min(number), max(number) FROM audit").fetchone()
    if bounds[0] is None:
        return 0
    first, last = bounds
    end = min(first + MOST_REMOVED, last)
    kept = db.execute(
        "SELECT number FROM audit WHERE number BETWEEN ? AND ? AND time >= ? ORDER BY number LIMIT 1",
        (first, end, before),
    ).fetchone()
    number = (end if kept is None else kept[0]) - 1
    if number < first:
        return 0
    (digest,) = db.execute("SELECT digest FROM audit WHERE number = ?", (number,)).fetchone()
    add_seal(db, Purpose.CHECKPOINT, number, digest, time, sealer)
    db.execute("DELETE FROM audit WHERE number <= ?", (number,))
    db.execute(
        "DELETE FROM audit_seals WHERE number <= ? AND NOT (purpose = 'checkpoint' AND number = ?)", (number, number)
    )
    details = {"before": before, "entries": number - first + 1, "up_to": str(number)}
    append(db, Entry.of(time, SERVICE, Event.LOG_CUT, details))
    return int(number) - int(first) + 1
