"""Migrations of the next formats of a store, made for the tests: one expands, and the one after it contracts."""

from typing import Any


def add_colours(db: Any) -> None:
    """Add a column to a table, and fill it from the rows that are there. An older program leaves it out."""
    db.execute("ALTER TABLE roles ADD COLUMN colour TEXT")
    db.execute("UPDATE roles SET colour = 'grey of ' || id")


def drop_colours(db: Any) -> None:
    """Remove the column again."""
    db.execute("ALTER TABLE roles DROP COLUMN colour")
