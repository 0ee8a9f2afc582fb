"""The schema of the store: its tables, and the migrations that bring an older database up to date.

To change a released format:

1. Write the step: a function that changes the tables of the last format. Add it to the end of `MIGRATIONS`.
2. Raise `newest_format.STORE_FORMAT`.
3. Keep a database of the last format for the tests, and open it in `test_upgrades`.

Older servers run while the first newer one starts. So expand in one version, with columns that may be left out, and
tables. Older servers go on then. Contract in a later version, and raise `newest_format.LEAST_FORMAT` to the format of
the version that expanded: each server of an older one refuses from then on.
"""

from collections.abc import Callable, Iterator
from sqlite3 import complete_statement
from typing import Final

from .audit_tables import AUDIT, EXPORTS
from .connection import Connection
from .credential_tables import CREDENTIALS, ROTATIONS, SIGN_INS
from .element_tables import ELEMENTS, ENTRY_BLOCKS, ENVIRONMENTS, SORTING
from .history_tables import BUNDLES, HISTORY

_POLICY_TESTS: Final = """
CREATE TABLE policy_tests (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    environment INTEGER NOT NULL REFERENCES environments (number) ON DELETE CASCADE,
    id TEXT NOT NULL, checks INTEGER NOT NULL, bytes INTEGER NOT NULL, body BLOB NOT NULL,
    UNIQUE (environment, id)
) STRICT;
"""
"""The sets of policy tests of an environment. `body` is JSON of so many `bytes`, and `checks` counts its questions."""


def _create(db: Connection) -> None:
    for tables in (ENVIRONMENTS, ELEMENTS, HISTORY, CREDENTIALS, AUDIT, EXPORTS, _POLICY_TESTS):
        _declare(db, tables)


def _add_people_and_rotations(db: Connection) -> None:
    for tables in (SIGN_INS, ROTATIONS, ENTRY_BLOCKS, BUNDLES):
        _declare(db, tables)


def _add_orders_of_lists(db: Connection) -> None:
    _declare(db, SORTING)


def _declare(db: Connection, tables: str) -> None:
    for statement in _statements(tables):
        db.execute(statement)


def _statements(tables: str) -> Iterator[str]:
    """Yields the statements, each of which ends with its line.

    PERF: in a transaction, `executescript` of sqlite_utils looks for their ends letter by letter, which takes 20 ms.
    """
    statement = ""
    for line in tables.splitlines(keepends=True):
        statement += line
        if complete_statement(statement):
            yield statement
            statement = ""


MIGRATIONS: Final[tuple[Callable[[Connection], None], ...]] = (_create, _add_people_and_rotations, _add_orders_of_lists)
"""Their number is the version of the format. Released migrations never change: each later change is another step."""
