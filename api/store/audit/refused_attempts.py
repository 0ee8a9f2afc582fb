"""Counts refused attempts for a minute and then writes one entry, so that attempts can't fill the disk."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from ....bundles.conditions.instants import SECOND, from_seconds, show_instant
from ..actor import Actor
from ..credential_rows import client_row
from ..database.connection import Connection
from ..environment_ids import Bounds
from ..errors import NotFound
from .entries import AuditEntry, append
from .events import Event

MOST_A_MINUTE: Final = 500
"""The entries that a minute can add. Further attempts are counted by client only, if they have one."""

MINUTE_SECONDS: Final = 60

_ENDED = "(minute < :minute OR minute > :minute + 1 OR :all = 1)"
"""Also counts of a minute well in the future, from before the clock was set back: they would wait for that time."""


class Attempt(NamedTuple):
    """The key of a count: TOKEN_REFUSED or CREDENTIAL_REFUSED, an existing client, and an address.

    `address` is an IPv4 address or an IPv6 network, as `network_of` returns it.
    """

    event: Event
    client: str | None
    address: str | None


def count_refusals(db: Connection, counts: Mapping[Attempt, int], now: float) -> None:
    """Add to the counts of the minute of `now`, in epoch seconds."""
    minute = _minute(now)
    rows = set(db.execute("SELECT event, client, address FROM audit_refusals WHERE minute = ?", (minute,)))
    for (event, client, address), count in counts.items():
        row = (str(event), client or "", address or "")
        if row not in rows and len(rows) >= MOST_A_MINUTE:
            row = (*row[:2], "")
        rows.add(row)
        db.execute(
            "INSERT INTO audit_refusals VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (minute, event, client, address) DO UPDATE SET count = audit_refusals.count + excluded.count",
            (minute, *row, count),
        )


def has_ended_minutes(db: Connection, now: float) -> bool:
    """Returns whether there are counts of a minute that has ended."""
    query = f"SELECT 1 FROM audit_refusals WHERE {_ENDED} LIMIT 1"
    return db.execute(query, {"minute": _minute(now), "all": False}).fetchone() is not None


def record_ended_minutes(db: Connection, time: str, now: float, all_of_them: bool = False) -> None:
    """Write entries with the time `time` for the counts of minutes that ended before `now`, or of all minutes."""
    values = {"minute": _minute(now), "all": all_of_them}
    query = f"SELECT minute, event, client, address, count FROM audit_refusals WHERE {_ENDED} ORDER BY 1, 2, 3, 4"
    rows = db.execute(query, values).fetchall()
    for minute, event, client, address, count in rows:
        actor = Actor("nobody", address=address or None)
        since = show_instant(minute * MINUTE_SECONDS * SECOND)
        details = {"count": count, "minute": since}
        within = _bounds_of(db, client) if client else None
        append(db, AuditEntry.of(time, actor, Event(event), details, client_id=client or None, within=within))
    db.execute(f"DELETE FROM audit_refusals WHERE {_ENDED}", values)


def _bounds_of(db: Connection, client: str) -> Bounds:
    try:
        return client_row(db, client).bounds
    except NotFound:  # deleted since
        return None


def _minute(now: float) -> int:
    return from_seconds(now) // SECOND // MINUTE_SECONDS
