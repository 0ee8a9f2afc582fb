"""Refused attempts are counted for a minute, and become one entry: nobody can buy disk by trying."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from sqlite_utils import Database

from api.store.actor import Actor
from api.store.audit.entries import Entry, append
from api.store.audit.events import Event
from api.store.credential_rows import Bounds, client_row
from api.store.refusals import NotFound
from bundles.conditions.instants import SECOND, from_seconds, show_instant

MOST_A_MINUTE: Final = 10_000
"""Entries that a minute can bring; what goes beyond is counted together, without an address."""

MINUTE_SECONDS: Final = 60


class Attempt(NamedTuple):
    """What is counted together: TOKEN_REFUSED or CREDENTIAL_REFUSED, of a client that there is, from an address."""

    event: Event
    client: str | None
    address: str | None


def count_refusals(db: Database, counts: Mapping[Attempt, int], now: float) -> None:
    """Add to the counts of the minute of `now`, in epoch seconds."""
    minute = _minute(now)
    (rows,) = db.execute("SELECT count(*) FROM audit_refusals WHERE minute = ?", (minute,)).fetchone()
    for attempt, count in counts.items():
        if rows >= MOST_A_MINUTE:
            attempt = Attempt(attempt.event, None, None)
        row = (minute, attempt.event, attempt.client or "", attempt.address or "", count)
        db.execute(
            "INSERT INTO audit_refusals VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET count = count + excluded.count",
            row,
        )
        rows += 1


def has_ended_minutes(db: Database, now: float) -> bool:
    """Whether there are counts of a minute that has ended."""
    return db.execute("SELECT 1 FROM audit_refusals WHERE minute < ? LIMIT 1", (_minute(now),)).fetchone() is not None


def end_minutes(db: Database, time: str, now: float, all_of_them: bool = False) -> None:
    """Make entries, of `time`, of the counts of minutes that ended before `now`, or `all_of_them`."""
    before = _minute(now) + all_of_them
    rows = db.execute("SELECT * FROM audit_refusals WHERE minute < ? ORDER BY 1, 2, 3, 4", (before,)).fetchall()
    for minute, event, client, address, count in rows:
        actor = Actor("nobody", address=address or None)
        since = show_instant(minute * MINUTE_SECONDS * SECOND)
        details = {"count": count, "minute": since}
        within = _bounds_of(db, client) if client else None
        append(db, Entry.of(time, actor, Event(event), details, client_id=client or None, within=within))
    db.execute("DELETE FROM audit_refusals WHERE minute < ?", (before,))


def _bounds_of(db: Database, client: str) -> Bounds:
    try:
        return client_row(db, client).bounds
    except NotFound:  # deleted since
        return None


def _minute(now: float) -> int:
    return from_seconds(now) // SECOND // MINUTE_SECONDS
