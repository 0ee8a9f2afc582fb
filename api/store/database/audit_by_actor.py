"""The index of the audit log by actor, which came after the log itself."""

from typing import Final

from sqlite_utils import Database

ACTOR_OF_ENTRY: Final = "json_extract(body, '$.actor')"
"""The actor of an audit entry, exactly as the index has it: else SQLite would not use the index."""

AUDIT_ACTORS: Final = f"""
CREATE INDEX audit_of_actor ON audit ({ACTOR_OF_ENTRY}, time, number);
"""
"""It computes the actor from the entry, so the table stays as its first migration made it."""


def add_audit_actors(db: Database) -> None:
    """Add the index, in a migration."""
    db.executescript(AUDIT_ACTORS)
