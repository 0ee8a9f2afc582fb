"""Entries of the audit log: how Writ makes an entry, chains it to the previous one, and finds it again."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from ....bundles.conditions.instants import SECOND, parse_instant, show_instant
from ..actor import Actor
from ..database.audit_tables import ACTOR_OF_ENTRY
from ..database.connection import Connection
from ..environment_ids import Bounds
from ..environments import Environment
from ..errors import BadQuery
from ..pages import cursor_after, read_cursor, refuse_limit
from .events import Event

GENESIS: Final = hashlib.sha256(b"writ audit log 1").digest()
"""The hash before the first entry."""

MOST_REQUEST_ID: Final = 200
"""The characters of a request id that an entry keeps."""

_LIST = "audit"
_NUMBER_BYTES = 8
_MOST_DIGITS = 18


class AuditEntry(msgspec.Struct, frozen=True):
    """An entry about one event.

    `time` is RFC 3339 in UTC with exactly three decimals, so that times compare as text.

    `client_id` is the OAuth client that the entry is about, or else the one that acted. `environment` is an id.
    `actor_name` is the name of a person who acted, as it was then.
    `within` are the UUIDs of the entry's environments: a credential bound to all of them may see it. None means no
    environment in particular.
    """

    time: str
    event: Event
    actor: str
    client_id: str | None = None
    environment: str | None = None
    address: str | None = None
    request_id: str | None = None
    details: Mapping[str, Any] = {}
    within: tuple[str, ...] | None = None
    acting_client: str | None = None
    actor_name: str | None = None

    @classmethod
    def of(
        cls,
        time: str,
        actor: Actor,
        event: Event,
        details: Mapping[str, Any] | None = None,
        *,
        client_id: str | None = None,
        environment: Environment | None = None,
        within: Bounds = None,
    ) -> "AuditEntry":
        """Returns the entry for an action of `actor` at `time`, RFC 3339.

        `environment` is the environment of the entry.
        """
        if environment is not None:
            within = frozenset({environment.uuid})
        return cls(
            sortable_time(parse_instant(time)),
            event,
            actor.name,
            client_id or actor.client,
            None if environment is None else environment.id,
            actor.address,
            None if actor.request_id is None else actor.request_id[:MOST_REQUEST_ID],
            details or {},
            None if within is None else tuple(sorted(within)),
            actor.client,
            actor.shown,
        )


class NumberedEntry(msgspec.Struct, frozen=True):
    """An entry and its number in the log."""

    number: int
    entry: AuditEntry


class EntryFilter(msgspec.Struct, frozen=True):
    """A filter on entries. `since` is inclusive, `until` exclusive, both as `AuditEntry.time`. None is no condition.

    `actor` is the name of the one who acted, as entries have it.
    """

    client_id: str | None = None
    event: Event | None = None
    since: str | None = None
    until: str | None = None
    actor: str | None = None


_decoder = msgspec.json.Decoder(AuditEntry)


def append(db: Connection, entry: AuditEntry) -> None:
    """Add an entry after the last one, at the end of a write transaction."""
    db.last_steps.add(_chain, entry)


def _chain(db: Connection, entries: Sequence[AuditEntry]) -> None:
    last = db.execute("SELECT number, digest FROM audit ORDER BY number DESC LIMIT 1").fetchone()
    newest, before = (0, GENESIS) if last is None else last
    for number, entry in enumerate(entries, newest + 1):
        body = msgspec.json.encode(entry)
        before = chain_hash(before, number, body)
        db.post("INSERT INTO audit (number, body, digest) VALUES (?, ?, ?)", (number, body.decode(), before))


def chain_hash(before: bytes, number: int, body: bytes) -> bytes:
    """Returns the hash of an entry, which includes all entries before it."""
    return hashlib.sha256(before + number.to_bytes(_NUMBER_BYTES) + body).digest()


def entry_in(body: str | bytes) -> AuditEntry:
    """Returns the entry in a stored body."""
    return _decoder.decode(body)


def page(
    db: Connection, where: EntryFilter, within: Bounds, limit: int, cursor: str | None
) -> tuple[list[NumberedEntry], str | None]:
    """Returns entries within the bounds `within`, newest first, and the cursor of the next page or None.

    Raises BadQuery.
    """
    refuse_limit(limit)
    values = {
        "client": where.client_id,
        "event": where.event,
        "actor": where.actor,
        "since": where.since,
        "until": where.until,
        "within": None if within is None else msgspec.json.encode(sorted(within)).decode(),
        "limit": limit + 1,
    }
    conditions = [text for name, text in _CONDITIONS.items() if values[name] is not None]
    if cursor is not None:
        values["time"], values["number"] = _position_in(cursor)
        conditions.append("(time, number) < (:time, :number)")
    rows = db.execute(_query(conditions, where.client_id is not None), values).fetchall()
    found = [NumberedEntry(number, entry_in(body)) for number, body, _ in rows[:limit]]
    behind = cursor_after(_LIST, (rows[limit - 1][2], str(rows[limit - 1][0]))) if len(rows) > limit else None
    return found, behind


_CONDITIONS: Final = {
    "event": "event = :event",
    "actor": f"{ACTOR_OF_ENTRY} = :actor",
    "since": "time >= :since",
    "until": "time < :until",
    "within": (
        "json_array_length(body, '$.within') > 0 AND NOT EXISTS (SELECT 1 FROM json_each(body, '$.within') w"
        " WHERE w.value NOT IN (SELECT value FROM json_each(:within)))"
    ),
}


def _query(conditions: list[str], of_client: bool) -> str:
    """PERF: a client's own actions and the actions on it are two index scans, each as long as a page at most."""
    order = "ORDER BY time DESC, number DESC LIMIT :limit"
    if not of_client:
        return f"SELECT number, body, time FROM audit {_where(conditions)} {order}"
    parts = (
        f"SELECT number, body, time FROM audit {_where([f'{column} = :client', *conditions])} {order}"
        for column in ("client", "acting_client")
    )
    return f"{' UNION '.join(f'SELECT * FROM ({part}) AS own' for part in parts)} {order}"


def _where(conditions: list[str]) -> str:
    return f"WHERE {' AND '.join(conditions)}" if conditions else ""


def _position_in(cursor: str) -> tuple[str, int]:
    time, number = read_cursor(_LIST, cursor, 2)
    if not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS):
        raise BadQuery("the cursor is not of this list; begin without one")
    return time, int(number)


def sortable_time(instant: int) -> str:
    """Returns an instant in RFC 3339, in whole milliseconds, always with three decimals.

    >>> sortable_time(0), sortable_time(1_999_999_999)
    ('1970-01-01T00:00:00.000Z', '1970-01-01T00:00:01.999Z')
    """
    whole, fraction = divmod(instant, SECOND)
    return f"{show_instant(whole * SECOND)[:-1]}.{fraction // 10**6:03}Z"
