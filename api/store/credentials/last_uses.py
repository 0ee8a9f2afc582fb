"""The last uses of clients, API keys and their secrets, as the service noticed them."""

from collections.abc import Iterable, Mapping
from typing import Any

from ..actor import API_KEY_PREFIX, CLIENT_PREFIX
from ..database.connection import Connection

_TABLES = {CLIENT_PREFIX: "clients", API_KEY_PREFIX: "api_keys"}
_RECORD = """
INSERT INTO credential_uses (credential, used)
    SELECT :prefix || id, :used FROM {table} WHERE id = :id
    ON CONFLICT (credential) DO UPDATE SET used = excluded.used
    WHERE excluded.used > credential_uses.used OR credential_uses.used > :now
"""
_RECORD_SHOWN = """
INSERT INTO secret_uses (secret, used)
    SELECT :secret, :used WHERE EXISTS (SELECT 1 FROM {table} WHERE id = :id AND secret = :secret)
        OR EXISTS (SELECT 1 FROM old_secrets WHERE credential = :credential AND secret = :secret)
    ON CONFLICT (secret) DO UPDATE SET used = excluded.used
    WHERE excluded.used > secret_uses.used OR secret_uses.used > :now
"""
"""A later use stays, unless it is in the future: then a clock was wrong. A deleted credential or secret gets no row."""


def record_uses(db: Connection, uses: Mapping[str, int], now: float) -> None:
    """Record the last uses by the names of actors. All times are in epoch seconds. `now` tells what is in the future.

    The SHA-256 of the secret, in hexadecimal digits, stands after the name and a space if a secret was used. A row that
    has the same time already is not written, so the database may stay as it is.
    """
    for prefix, table in _TABLES.items():
        rows = list(_rows(prefix, uses, now))
        db.execute_many(_RECORD.format(table=table), rows)
        db.execute_many(_RECORD_SHOWN.format(table=table), [row for row in rows if row["secret"] is not None])


def _rows(prefix: str, uses: Mapping[str, int], now: float) -> Iterable[dict[str, Any]]:
    for name, used in uses.items():
        if name.startswith(prefix):
            id, _, secret = name.removeprefix(prefix).partition(" ")
            digest = bytes.fromhex(secret) if secret else None
            yield {
                "prefix": prefix,
                "id": id,
                "credential": f"{prefix}{id}",
                "secret": digest,
                "used": used,
                "now": now,
            }


def forget_use(db: Connection, actor: str) -> None:
    """Forget the last use of a credential that is deleted."""
    db.execute("DELETE FROM credential_uses WHERE credential = ?", (actor,))
