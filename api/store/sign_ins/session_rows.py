"""Rows of sessions and of the people who have them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from ....bundles.wording import quoted
from ..credential_rows import BOUND, one_within, page_within, read_bounds
from ..database.connection import Connection
from ..environment_ids import Bounds
from ..errors import NotFound
from ..pages import cursor_after, read_cursor, refuse_limit

IDLE_SECONDS: Final = 30 * 60
"""The seconds after its last use at which a session ends."""

_ID_DIGITS: Final = 32
_PEOPLE = "people"
_PERSON = "id, issuer, subject, name"
_OF_PERSON = "(SELECT issuer FROM people p WHERE p.id = person), (SELECT subject FROM people p WHERE p.id = person)"
_SESSION = (
    f"id, person, {_OF_PERSON}, (SELECT name FROM people p WHERE p.id = person),"
    f" scopes, created, expires, used, {BOUND}"
)


@dataclass(frozen=True, slots=True)
class Person:
    """A person at a provider: the provider's issuer, its `subject` for the person, and a name to show."""

    issuer: str
    subject: str
    name: str

    @property
    def id(self) -> str:
        """The person's id. It is the same in each store, and at each sign-in."""
        text = msgspec.json.encode([self.issuer, self.subject])
        return hashlib.sha256(text).hexdigest()[:_ID_DIGITS]


@dataclass(frozen=True, slots=True)
class Session:
    """A session, without its secret. `environments` are the ids of the bounds that exist, or None if it has no bounds.

    All times are in epoch seconds. `used` is its last use that is stored.
    """

    id: str
    person: Person
    scopes: tuple[str, ...]
    bounds: Bounds
    environments: tuple[str, ...] | None
    created: int
    expires: int
    used: int

    @property
    def until(self) -> int:
        """The instant at which it ends if it is not used any more."""
        return min(self.expires, self.used + IDLE_SECONDS)


def session_with(db: Connection, secret: bytes) -> Session | None:
    """Returns the session whose secret has that SHA-256, ended or not, or None."""
    row = db.execute(f"SELECT {_SESSION} FROM sessions t WHERE secret = ?", (secret,)).fetchone()
    return None if row is None else _session(row)


def session_row(db: Connection, id: str, within: Bounds = None) -> Session:
    """Returns the session of that id. Raises NotFound; with bounds, OutOfBounds."""
    return _session(one_within(db, "sessions", _SESSION, "session", id, within))


def session_rows(db: Connection, within: Bounds, limit: int, cursor: str | None) -> tuple[list[Session], str | None]:
    """Returns sessions within the bounds, by id, and the cursor of the next page or None. Raises BadQuery."""
    rows, behind = page_within(db, "sessions", _SESSION, within, limit, cursor)
    return [_session(row) for row in rows], behind


def sessions_of(db: Connection, person: str) -> list[Session]:
    """Returns the sessions of a person, by id."""
    rows = db.execute(f"SELECT {_SESSION} FROM sessions t WHERE person = ? ORDER BY id", (person,)).fetchall()
    return [_session(row) for row in rows]


def person_row(db: Connection, id: str) -> Person:
    """Returns the person of that id, with the name of the last sign-in. Raises NotFound."""
    query = f"SELECT {_PERSON} FROM people WHERE id = ?"
    row = db.execute(query, (id,)).fetchone() if id.isascii() else None  # SQLite takes no lone surrogates
    if row is None:
        raise NotFound(f"there is no person {quoted(id)}")
    return Person(*row[1:])


def people_rows(db: Connection, limit: int, cursor: str | None) -> tuple[list[Person], str | None]:
    """Returns the people who signed in, by id, and the cursor of the next page or None. Raises BadQuery."""
    refuse_limit(limit)
    (after,) = ("",) if cursor is None else read_cursor(_PEOPLE, cursor, 1)
    query = f"SELECT {_PERSON} FROM people WHERE id > ? ORDER BY id LIMIT ?"
    rows: Sequence[Any] = db.execute(query, (after, limit + 1)).fetchall()
    behind = cursor_after(_PEOPLE, (rows[limit - 1][0],)) if len(rows) > limit else None
    return [Person(*row[1:]) for row in rows[:limit]], behind


def _session(row: tuple[Any, ...]) -> Session:
    id, _, issuer, subject, name, scopes, created, expires, used, uuids, ids = row
    person = Person(issuer, subject, name)
    return Session(id, person, tuple(scopes.split()), *read_bounds(uuids, ids), created, expires, used)
