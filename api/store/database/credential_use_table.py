"""The table of the last uses of credentials: its migration."""

from sqlite_utils import Database

_TABLE = """
CREATE TABLE credential_uses (
    credential TEXT PRIMARY KEY, used INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
"""
"""When a client or an API key was last used. `credential` is its name as an actor, `used` in epoch seconds."""


def add_credential_uses(db: Database) -> None:
    """Add the table."""
    db.executescript(_TABLE)
