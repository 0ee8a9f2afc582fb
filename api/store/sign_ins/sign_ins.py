"""Sign-ins of people: a session begins, is used and ends. The store has only the SHA-256 of its secret."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

import msgspec

from ..actor import PERSON_PREFIX, Actor
from ..audit.entries import AuditEntry, append
from ..audit.events import Event
from ..credential_rows import uuid_of
from ..credentials.credential_recheck import recheck_credential
from ..database.connection import Connection
from ..database.connections import LONG_WAIT_FACTOR, StoreConnections
from ..environment_ids import Bounds, refuse_outside
from ..errors import NotPermitted
from .newest_sign_in import SignIn, take
from .session_rows import (
    IDLE_SECONDS,
    Person,
    Session,
    people_rows,
    person_row,
    session_row,
    session_rows,
    session_with,
    sessions_of,
)

SESSION_SECONDS: Final = 8 * 60 * 60
"""The longest that a session lasts, in seconds."""

USE_SECONDS: Final = 60
"""The seconds between two uses of a session that are stored. So it may end that much before its idle time is over."""

MOST_SESSIONS: Final = 20
"""The sessions that a person may have at a time. The next one ends the oldest."""


@dataclass(frozen=True, slots=True)
class Rights:
    """The rights of a session: its scopes, and the ids of the environments that it is bound to, or None."""

    scopes: Sequence[str]
    environments: Sequence[str] | None = None


class SignIns:
    """The people and their sessions. Every method raises StoreUnavailable. `now` is in epoch seconds."""

    def __init__(self, connections: StoreConnections, time: Callable[[], str]) -> None:
        """`time` returns the time in RFC 3339."""
        self._connections, self._time = connections, time

    def begin(
        self, actor: Actor, person: Person, rights: Rights, secret: bytes, sign_in: SignIn, now: float
    ) -> Session:
        """Begin a session, and give its rights to all sessions of the person: the newest sign-in counts.

        `secret` is the SHA-256 of its secret. `actor` has the address of the request. Raises Conflict if the sign-in
        was used before, Overtaken if a newer one came first, and NotPermitted if the person is bound to environments
        and none of them exists.
        """
        with self._connections.writing(LONG_WAIT_FACTOR) as db:
            environments = _bound_to(db, rights.environments)
            _forget_ended(db, now)
            take(db, person, sign_in, now)
            id = _insert(db, person, rights.scopes, environments, secret, now)
            _follow_newest(db, person, rights.scopes, environments)
            _end_oldest(db, person)
            made = session_row(db, id)
            self._record(db, actor_of_session(made, actor), Event.SESSION_STARTED, made)
            return made

    def end_without_rights(self, actor: Actor, person: Person, sign_in: SignIn, now: float) -> None:
        """End every session of a person whose newest sign-in gives no rights. `actor` has the address of the request.

        The person is kept, so that no older sign-in begins a session later. Raises as `begin`.
        """
        with self._connections.writing(LONG_WAIT_FACTOR) as db:
            _forget_ended(db, now)
            take(db, person, sign_in, now)
            for session in sessions_of(db, person.id):
                self._record(db, actor_of_session(session, actor), Event.SESSION_ENDED, session)
            db.execute("DELETE FROM sessions WHERE person = ?", (person.id,))

    def session_with(self, secret: bytes) -> Session | None:
        """Returns the session whose secret has that SHA-256, ended or not, or None."""
        with self._connections.reading() as db:
            return session_with(db, secret)

    def use(self, id: str, now: float) -> None:
        """Store that a session is used. No process is told to look for changes."""
        with self._connections.writing(tells=False) as db:
            db.execute("UPDATE sessions SET used = ? WHERE id = ? AND used < ?", (int(now), id, int(now)))

    def end(self, actor: Actor, id: str) -> None:
        """End a session at once, at each server. Raises NotFound; for an actor with bounds, OutOfBounds."""
        with self._connections.writing(LONG_WAIT_FACTOR) as db:
            recheck_credential(db, actor)
            session = session_row(db, id, None if actor.session == id else actor.bounds)
            db.execute("DELETE FROM sessions WHERE id = ?", (id,))
            self._record(db, actor, Event.SESSION_ENDED, session)

    def end_all(self, actor: Actor, person: str) -> None:
        """End every session of a person, at each server. Raises NotFound; for an actor with bounds, OutOfBounds."""
        with self._connections.writing(LONG_WAIT_FACTOR) as db:
            recheck_credential(db, actor)
            refuse_outside(None, actor.bounds)
            person_row(db, person)
            for session in sessions_of(db, person):
                self._record(db, actor, Event.SESSION_ENDED, session)
            db.execute("DELETE FROM sessions WHERE person = ?", (person,))

    def sessions(self, within: Bounds, limit: int, cursor: str | None = None) -> tuple[list[Session], str | None]:
        """Returns sessions within the bounds by id, and the cursor of the next page or None. Raises BadQuery."""
        with self._connections.reading() as db:
            return session_rows(db, within, limit, cursor)

    def session(self, id: str, within: Bounds = None) -> Session:
        """Returns the session of that id. Raises NotFound; with bounds, OutOfBounds."""
        with self._connections.reading() as db:
            return session_row(db, id, within)

    def person(self, id: str) -> Person:
        """Returns the person of that id. Raises NotFound."""
        with self._connections.reading() as db:
            return person_row(db, id)

    def people(self, limit: int, cursor: str | None = None) -> tuple[list[Person], str | None]:
        """Returns people by id, and the cursor of the next page, or None at the end. Raises BadQuery."""
        with self._connections.reading() as db:
            return people_rows(db, limit, cursor)

    def _record(self, db: Connection, actor: Actor, event: Event, session: Session) -> None:
        person = session.person
        details = {
            "session": session.id,
            "person": person.id,
            "issuer": person.issuer,
            "subject": person.subject,
            "name": person.name,
            "scopes": session.scopes,
            "environments": session.environments,
        }
        append(db, AuditEntry.of(self._time(), actor, event, details, within=session.bounds))


def actor_of_session(session: Session, request: Actor) -> Actor:
    """Returns the person of a session as an actor, with the address and the id of a request."""
    name = f"{PERSON_PREFIX}{session.person.id}"
    address, request_id = request.address, request.request_id
    return Actor(
        name, session.bounds, address=address, request_id=request_id, session=session.id, shown=session.person.name
    )


def _bound_to(db: Connection, environments: Sequence[str] | None) -> str | None:
    """Returns the column that binds a session. Environments that do not exist are left out."""
    if environments is None:
        return None
    uuids = sorted(uuid for uuid in (uuid_of(db, id) for id in environments) if uuid is not None)
    if not uuids:
        raise NotPermitted("none of the environments of your groups exists")
    return msgspec.json.encode(uuids).decode()


def _forget_ended(db: Connection, now: float) -> None:
    db.execute("DELETE FROM sessions WHERE expires <= ? OR used <= ?", (int(now), int(now) - IDLE_SECONDS))
    db.execute("DELETE FROM used_sign_ins WHERE expires <= ?", (int(now),))


def _insert(
    db: Connection, person: Person, scopes: Sequence[str], environments: str | None, secret: bytes, now: float
) -> str:
    id, begun = str(uuid4()), int(now)
    db.execute(
        "INSERT INTO sessions (id, person, secret, scopes, environments, created, expires, used)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (id, person.id, secret, " ".join(scopes), environments, begun, begun + SESSION_SECONDS, begun),
    )
    return id


def _follow_newest(db: Connection, person: Person, scopes: Sequence[str], environments: str | None) -> None:
    """Give all sessions of a person the rights of the newest sign-in: a group that is gone gives nothing any more."""
    db.execute(
        "UPDATE sessions SET scopes = ?, environments = ? WHERE person = ?", (" ".join(scopes), environments, person.id)
    )


def _end_oldest(db: Connection, person: Person) -> None:
    db.execute(
        "DELETE FROM sessions WHERE person = ? AND id NOT IN"
        " (SELECT id FROM sessions WHERE person = ? ORDER BY created DESC, id LIMIT ?)",
        (person.id, person.id, MOST_SESSIONS),
    )
