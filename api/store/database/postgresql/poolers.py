"""Refuses a pooler that gives the transactions of one connection to several sessions of the database.

Writ's connections keep temporary tables and prepared statements from one transaction to the next. PgBouncer keeps them
in the mode `session` only.
"""

import secrets
from contextlib import closing

from ...errors import StoreUnavailable
from .connection import PostgresConnection
from .connections import PostgresConnections

_SESSION = "SELECT pg_backend_pid(), coalesce(current_setting('writ.session', true), '')"


def refuse_shared_sessions(connections: PostgresConnections) -> None:
    """Raises StoreUnavailable if a session does not outlast its transactions, or if two connections share one.

    The second connection is in a transaction while the first asks: a pooler must then give the first another session.
    """
    with connections.translated(), closing(connections.fresh()) as one, closing(connections.fresh()) as other:
        token = secrets.token_hex(8)
        one.run(f"SET writ.session = '{token}'")
        before = _session(one)
        other.run("BEGIN")
        inside, after = _session(other), _session(one)
        other.run("ROLLBACK")
        one.run("RESET writ.session")
    if inside[1] == token or after != before or after[1] != token:
        said = "is behind a pooler in transaction mode; connect to the database itself, or use the mode `session`"
        raise StoreUnavailable(f"the store `{connections.place}` {said}", f"the store {said}")


def _session(db: PostgresConnection) -> tuple[int, str]:
    (found,) = db.execute(_SESSION).fetchall()
    process, token = found
    return int(process), str(token)
