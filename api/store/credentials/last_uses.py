"""The last uses of clients and API keys, as the service noticed them."""

from collections.abc import Mapping

from ..actor import API_KEY_PREFIX, CLIENT_PREFIX
from ..database.connection import Connection

_TABLES = {CLIENT_PREFIX: "clients", API_KEY_PREFIX: "api_keys"}
_RECORD = """
INSERT INTO credential_uses (credential, used)
    SELECT :prefix || id, :used FROM {table} WHERE id = :id
    ON CONFLICT (credential) DO UPDATE SET used = excluded.used
    WHERE excluded.used > credential_uses.used OR credential_uses.used > :now
"""
"""A later use stays, unless it is in the future: then a clock was wrong. A deleted credential gets no row."""


def record_uses(db: Connection, uses: Mapping[str, int], now: float) -> None:
    """Record the last uses by the names of actors. All times are in epoch seconds. `now` tells what is in the future.

    A row that has the same time already is not written, so the database may stay as it is.
    """
    for prefix, table in _TABLES.items():
        rows = [
            {"prefix": prefix, "id": actor.removeprefix(prefix), "used": used, "now": now}
            for actor, used in uses.items()
            if actor.startswith(prefix)
        ]
        db.execute_many(_RECORD.format(table=table), rows)


def forget_use(db: Connection, actor: str) -> None:
    """Forget the last use of a credential that is deleted."""
    db.execute("DELETE FROM credential_uses WHERE credential = ?", (actor,))
