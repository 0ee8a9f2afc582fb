"""Migrations of the next formats of a store, made for the tests: older programs bear the first, and not the second."""

from typing import Any, Final

FILL_COLOURS: Final = "UPDATE roles SET colour = 'grey of ' || id WHERE colour IS NULL"

UNREAD: Final = {"roles": (("name",),)}
"""The members that servers of the format before can't read, as the tests have it."""


def add_colours(db: Any) -> None:
    """Add a column to a table, and fill it from the rows that are there."""
    add_colour_column(db)
    db.execute(FILL_COLOURS)


def add_colour_column(db: Any) -> None:
    """Add a column to a table. An older program leaves it out."""
    db.execute("ALTER TABLE roles ADD COLUMN colour TEXT")


def drop_colours(db: Any) -> None:
    """Remove the column again."""
    db.execute("ALTER TABLE roles DROP COLUMN colour")
