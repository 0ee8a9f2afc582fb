"""The table of stored policy tests: its migration."""

from sqlite_utils import Database

_TABLE = """
CREATE TABLE policy_tests (
    number INTEGER PRIMARY KEY,
    environment INTEGER NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    id TEXT NOT NULL, checks INTEGER NOT NULL, bytes INTEGER NOT NULL, body BLOB NOT NULL,
    UNIQUE (environment, id)
) STRICT;
"""
"""The sets of policy tests of an environment. `body` is JSON of so many `bytes`, and `checks` counts its questions."""


def add_policy_tests(db: Database) -> None:
    """Add the table."""
    db.executescript(_TABLE)
