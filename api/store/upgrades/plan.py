"""The plan of an upgrade: what this version does with a store on PostgreSQL, before it does anything."""

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ..database.connections import DatabaseServer
from ..database.newest_format import STORE_FORMAT
from ..database.schema import MIGRATIONS
from ..database.sharing.older_servers import older_servers
from ..errors import driver_needed


class Plan(NamedTuple):
    """The plan for a store.

    Attributes:
        format: The format of the store, or 0 if the database is empty.
        is_shared: True if a server of this version has added what its format has besides.
        is_borne: True if servers of the store's format go on beside this version.
        older: The number of servers of an older format that have a lease, or were killed since the last write.
    """

    format: int
    is_shared: bool
    is_borne: bool
    older: int


def upgrade_plan(directory: Path, server: DatabaseServer) -> Plan:
    """Returns the plan for the store on a server. `directory` has its own files. Raises StoreUnavailable."""
    with driver_needed():
        from ..database.postgresql.connections import PostgresConnections
        from ..database.postgresql.migrating import read_format
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    connections = PostgresConnections(server, directory)
    with connections.translated(), closing(connections.fresh()) as db:
        number, expanded = read_format(connections, db)
        older = 0
        if expanded >= STORE_FORMAT > number:
            older = len(older_servers(db, STORE_FORMAT))
        elif 0 < number < STORE_FORMAT:
            ((older,),) = db.execute("SELECT count(*) FROM servers").fetchall()
    is_borne = number > 0 and all(step.beside for step in MIGRATIONS[number:])
    return Plan(number, number < STORE_FORMAT <= expanded, is_borne, int(older))
