"""The last uses of clients and API keys, as the service noticed them."""

from collections.abc import Mapping

from sqlite_utils import Database

from ..actor import API_KEY_PREFIX, CLIENT_PREFIX

_TABLES = {CLIENT_PREFIX: "clients", API_KEY_PREFIX: "api_keys"}
_RECORD = """
INSERT INTO credential_uses (credential, used)
    SELECT :prefix || id, :used FROM {table} WHERE id = :id
    ON CONFLICT (credential) DO UPDATE SET used = excluded.used
    WHERE excluded.used > used OR used > :now
"""
"""A later use stays, unless it is in the future: then a clock was wrong. A deleted credential gets no row."""


def record_uses(db: Database, uses: Mapping[str, int], now: float) -> None:
    """Record the last uses by the names of actors. All times are in epoch seconds. `now` tells what is in the future.

    A row that has the same time already is not written, so the database may stay as it is.
    """
    for prefix, table in _TABLES.items():
        rows = [
            {"prefix": prefix, "id": actor.removeprefix(prefix), "used": used, "now": now}
            for actor, used in uses.items()
            if actor.startswith(prefix)
        ]
        db.conn.executemany(_RECORD.format(table=table), rows)


def forget_use(db: Database, actor: str) -> None:
    """Forget the last use of a credential that is deleted."""
    db.execute("DELETE FROM credential_uses WHERE credential = ?", (actor,))
