"""The schema of the store: its tables, and the migrations that bring an older database up to date.

To change a released format, also by a new member of an element:

1. Write the step: a function that changes the tables of the last format. Add it to the end of `MIGRATIONS`.
2. Say how it is taken `beside` servers of the last format: what it adds, what they can't read, and what is left to do
   when they are gone. Without that, a new server does not start beside them.
3. Raise `newest_format.STORE_FORMAT`.
4. Keep a database of the last format for the tests, and open it in `test_upgrades`.
"""

from collections.abc import Iterator
from typing import Final

from .audit_tables import AUDIT, EXPORTS
from .connection import Connection
from .credential_tables import CREDENTIALS, ROTATIONS, SIGN_INS
from .element_tables import ELEMENTS, ENTRY_BLOCKS, ENVIRONMENTS, SORTED, SORTING
from .formats.shared_tables import COMPLETE_NAMES, SERVERS_AND_FORMATS, UNCOMPLETED_NAMES
from .formats.step import GATEWAY, Beside, Step, no_tables
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


def _add_orders_beside(db: Connection) -> None:
    _declare(db, SORTED)


def _declare(db: Connection, tables: str) -> None:
    for statement in _statements(tables):
        db.execute(statement)


def _statements(tables: str) -> Iterator[str]:
    """Yields the statements, each of which ends with its line.

    PERF: in a transaction, `executescript` of sqlite_utils looks for their ends letter by letter, which takes 20 ms.
    """
    from sqlite3 import complete_statement  # an agent reads the steps, and has no SQLite

    statement = ""
    for line in tables.splitlines(keepends=True):
        statement += line
        if complete_statement(statement):
            yield statement
            statement = ""


_BESIDE_UNSORTED: Final = Beside(_add_orders_beside, COMPLETE_NAMES, UNCOMPLETED_NAMES)
"""The blocks of entries stay, since older servers keep them: to fill in the names again needs only the elements."""

_BESIDE_ONE_FORMAT: Final = Beside(
    server=SERVERS_AND_FORMATS,
    unread={"routes": (("anonymous",),), GATEWAY: (("anonymous",),)},
    needs=frozenset(("anonymous", "kinds")),
)

MIGRATIONS: Final[tuple[Step, ...]] = (
    Step(_create),
    Step(_add_people_and_rotations),
    Step(_add_orders_of_lists, beside=_BESIDE_UNSORTED),
    Step(no_tables, SERVERS_AND_FORMATS, _BESIDE_ONE_FORMAT),
)
"""Their number is the version of the format. Released migrations never change: each later change is another step."""
