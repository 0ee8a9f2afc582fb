"""Opens the database of a store, by the engine that has it, in the newest format."""

from pathlib import Path
from typing import NamedTuple

from ..errors import StoreUnavailable, driver_needed
from .commit_signal import CommitSignal
from .connections import BUSY_SECONDS, DatabaseServer, StoreConnections, Timed, untimed
from .sqlite.connections import SqliteConnections
from .sqlite.migrating import migrate
from .sqlite.opening import FILE, ensure_file, require_file
from .sqlite.watch import SqliteWatch
from .watch import Watch


class OpenedDatabase(NamedTuple):
    """A database in the newest format. `upgraded_from` is the copy that this process made before it upgraded it."""

    connections: StoreConnections
    watch: Watch
    upgraded_from: Path | None = None


def open_database(
    directory: Path,
    server: DatabaseServer | None,
    synchronous: str = "FULL",
    busy_seconds: float = BUSY_SECONDS,
    timed: Timed = untimed,
    create: bool = True,
    upgrade: bool = False,
) -> OpenedDatabase:
    """Opens the database on a server, or else the file in a directory. The parameters are those of `Store.open`.

    Raises StoreUnavailable.
    """
    if server is not None:
        return _open_server(server, directory, busy_seconds, timed, create, upgrade)
    path = directory / FILE
    (ensure_file if create else require_file)(path)
    connections = SqliteConnections(path, synchronous, busy_seconds, CommitSignal.beside(path), timed)
    upgraded_from = migrate(connections, upgrade=upgrade)
    return OpenedDatabase(connections, SqliteWatch(connections), upgraded_from)


def _open_server(
    server: DatabaseServer, directory: Path, busy_seconds: float, timed: Timed, create: bool, upgrade: bool
) -> OpenedDatabase:
    with driver_needed():
        from .postgresql.connections import PostgresConnections
        from .postgresql.migrating import migrate as migrate_server
        from .postgresql.poolers import refuse_shared_sessions
        from .postgresql.watch import PostgresWatch
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    signal = CommitSignal.beside(directory / FILE)
    connections = PostgresConnections(server, directory, busy_seconds, signal, timed)
    refuse_shared_sessions(connections)
    migrate_server(connections, create, upgrade)
    connections.admit()
    if server.watch is None:
        return OpenedDatabase(connections, PostgresWatch(connections))
    if signal is None:
        raise no_signal(directory)
    return OpenedDatabase(connections, server.watch(signal))


def no_signal(directory: Path) -> StoreUnavailable:
    """Returns the error if there is no commit signal."""
    return StoreUnavailable(f"the commit signal in `{directory}` can't be opened; make the folder writable")
