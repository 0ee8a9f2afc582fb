"""The secrets that the servers on one database share, and the ids of the keys that each of them has.

A key itself never enters the database. The ids serve to find servers that would refuse each other's signatures.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from itertools import groupby
from typing import Final, NamedTuple

from ..connection import Connection
from ..connections import StoreConnections
from ..private_files import SECRET_BYTES

LIVE_SECONDS: Final = 90.0
"""Seconds of the database's clock after which a server that did not register its keys again counts as ended."""

_NOW: Final = "extract(epoch FROM clock_timestamp())::float8"


class HeldKey(NamedTuple):
    """A key of a kind that a server has. `id` may be seen by anyone. `signs`: the server signs with it now."""

    kind: str
    id: str
    signs: bool


class OtherServer(NamedTuple):
    """Another server on the database, by its name in messages. One that has ended keeps its keys until others start."""

    name: str
    is_live: bool
    keys: frozenset[HeldKey]


class SharedKeys:
    """Things that one server of several has in common with the others. Every method raises StoreUnavailable."""

    def __init__(self, connections: StoreConnections) -> None:
        """Use `shared_keys`."""
        self._connections = connections

    def secret(self, name: str) -> bytes:
        """Returns the random bytes of a name. The first server makes them. It keeps no connection."""
        made = secrets.token_bytes(SECRET_BYTES)
        with self._connections.translated(), closing(self._connections.fresh()) as db:
            db.execute("INSERT INTO shared_secrets VALUES (?, ?) ON CONFLICT DO NOTHING", (name, made))
            ((found,),) = db.execute("SELECT secret FROM shared_secrets WHERE name = ?", (name,)).fetchall()
        return bytes(found)

    def register(
        self, name: str, keys: Iterable[HeldKey], judge: Callable[[Sequence[OtherServer]], None] = lambda _: None
    ) -> Sequence[OtherServer]:
        """Register the keys of this server in place of its earlier ones. Returns the other servers.

        `judge` gets the other servers first, and no server registers meanwhile. If it raises, nothing is registered.
        """
        own = self._connections.folder
        with self._connections.writing(tells=False) as db:
            others = _others(db, own)
            judge(others)
            ended = f"seen <= {_NOW} - ?"
            db.execute(f"DELETE FROM server_keys WHERE server = ? OR {ended}", (own, LIVE_SECONDS))
            db.execute_many(
                f"INSERT INTO server_keys VALUES (?, ?, {_NOW}, ?, ?, ?)",
                [(own, name, key.kind, key.id, int(key.signs)) for key in keys],
            )
        return others

    def leave(self) -> None:
        """Tell the other servers that this one has ended."""
        with self._connections.writing(tells=False) as db:
            db.execute("UPDATE server_keys SET seen = 0 WHERE server = ?", (self._connections.folder,))


def shared_keys(connections: StoreConnections) -> SharedKeys | None:
    """Returns what servers share, or None for a database of one server."""
    return SharedKeys(connections) if connections.folder else None


def _others(db: Connection, own: str) -> Sequence[OtherServer]:
    query = (
        f"SELECT server, name, seen > {_NOW} - ?, kind, key_id, signs FROM server_keys"
        " WHERE server <> ? ORDER BY server, name"
    )
    rows = db.execute(query, (LIVE_SECONDS, own)).fetchall()
    return [
        OtherServer(name, bool(is_live), frozenset(HeldKey(kind, id, bool(signs)) for *_, kind, id, signs in many))
        for (_, name, is_live), many in groupby(rows, lambda row: row[:3])
    ]
