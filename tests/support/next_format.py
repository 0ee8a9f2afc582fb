"""The next format of a store, made for the tests: a program that has one migration more than this one."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import pytest
from sqlite_utils import Database
from writ.api.store.database import migrating
from writ.api.store.database.newest_format import STORE_FORMAT
from writ.api.store.database.schema import MIGRATIONS

NEXT: Final = STORE_FORMAT + 1


def add_colours(db: Database) -> None:
    """Add a column to a table, and fill it from the rows that are there."""
    db.execute("ALTER TABLE roles ADD COLUMN colour TEXT")
    db.execute("UPDATE roles SET colour = 'grey of ' || id")


@contextmanager
def newer_program(patch: pytest.MonkeyPatch, *steps: Callable[[Database], None]) -> Iterator[None]:
    """Lets this process write the next format. `steps` take the place of `add_colours`."""
    with patch.context() as patched:
        patched.setattr(migrating, "MIGRATIONS", (*MIGRATIONS, *(steps or (add_colours,))))
        yield
