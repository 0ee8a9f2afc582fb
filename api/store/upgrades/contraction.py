"""The contraction: it ends the sharing of a store by servers of two formats. From then on, the older ones refuse.

Until then, an older server can be started again, and the newer ones can be taken back without a restore.
"""

from collections.abc import Callable
from typing import Final

from ..actor import SERVICE, Actor
from ..audit.entries import AuditEntry, append
from ..audit.events import Event
from ..database.connection import Connection
from ..database.connections import StoreConnections
from ..database.formats.shared_tables import END_EXPANSION, FORGET_FORMATS, OBSERVE
from ..database.newest_format import STORE_FORMAT
from ..database.schema import MIGRATIONS
from ..database.sharing.older_servers import OlderServer, all_without_lease, older_servers
from ..database.sharing.unread import is_shared
from ..errors import Conflict

QUIET_SECONDS: Final = 3_600.0
"""The seconds without a lease of an older server, after which a newer server ends the sharing."""

LOOK_SECONDS: Final = 60.0
"""The seconds between two looks of a newer server."""

MISSED_SECONDS: Final = 5 * LOOK_SECONDS
"""The seconds without a look, after which the time begins again: an older server may have had a lease."""


class Contraction:
    """The end of the sharing. Only a store on PostgreSQL is ever shared."""

    def __init__(self, connections: StoreConnections, time: Callable[[], str]) -> None:
        """`time` returns the time in RFC 3339."""
        self._connections, self._time = connections, time
        self._seen: dict[str, OlderServer] = {}

    def shared_format(self) -> int | None:
        """Returns the older format if servers of it may use the store, or else None. Raises StoreUnavailable."""
        with self._connections.reading() as db:
            return db.format if is_shared(db) else None

    def finish(self, actor: Actor, stopped: bool = False) -> bool:
        """End the sharing, unless it has ended. Returns whether it did.

        Raises Conflict while a server of the older format has a lease. With `stopped`, no server may have one.
        StoreUnavailable.
        """
        shared = self.shared_format()
        if shared is None:
            return False
        dead = all_without_lease(lambda: self._servers(stopped))
        if dead is None and stopped:
            raise Conflict(f"a server uses the store, so it keeps format {shared}; stop all, or use `--finish`")
        if dead is None:
            raise _has_lease(shared)
        return self._contract(actor, dead)

    def look(self) -> None:
        """Note whether an older server has a lease. After an hour without, end the sharing. Raises StoreUnavailable.

        A server whose row has not changed since the last look has none.
        """
        if self.shared_format() is None:
            return
        with self._connections.writing(tells=False) as db:
            before, self._seen = self._seen, {one.id: one for one in older_servers(db, STORE_FORMAT)}
            lives = any(before.get(id) != one for id, one in self._seen.items())
            quiet = db.execute(OBSERVE, (int(lives), MISSED_SECONDS)).fetchone()
        if not lives and quiet is not None and quiet[0] >= QUIET_SECONDS:
            self._contract(SERVICE, frozenset(self._seen.values()))

    def _servers(self, all_formats: bool) -> list[OlderServer]:
        with self._connections.reading() as db:
            return older_servers(db, STORE_FORMAT + 1 if all_formats else STORE_FORMAT)

    def _contract(self, actor: Actor, dead: frozenset[OlderServer]) -> bool:
        """End the sharing in one transaction. `dead` are the servers that are known to have no lease."""
        with self._connections.writing() as db:
            before = db.format
            if not is_shared(db):
                return False
            if not dead.issuperset(older_servers(db, STORE_FORMAT)):
                raise _has_lease(before)
            _contract(db, before)
            details = {"from": before, "to": STORE_FORMAT}
            append(db, AuditEntry.of(self._time(), actor, Event.STORE_UPGRADED, details))
        return True


def _has_lease(older: int) -> Conflict:
    return Conflict(
        f"a server of format {older} has a lease, so the store keeps this format; upgrade or stop that server first"
    )


def _contract(db: Connection, before: int) -> None:
    for step in MIGRATIONS[before:]:
        assert step.beside is not None, "no server expands a step that the others can't bear"
        for statement in step.beside.contract:
            db.execute(statement)
    raised, ended = END_EXPANSION
    db.execute(raised, (STORE_FORMAT, STORE_FORMAT))
    db.execute(ended, (STORE_FORMAT,))
    db.execute(FORGET_FORMATS)
