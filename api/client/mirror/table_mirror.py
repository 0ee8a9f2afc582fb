"""One table of direct grants, brought to the revision of an engine in one transaction."""

import threading
from collections.abc import Iterator
from typing import Any, Final

import sqlalchemy as sa

from ..api.agent.following import WRITE_SECONDS
from ..runtime.engine import Engine
from ..runtime.state.held_grants import Held, all_grants, changed_grants
from ..runtime.state.state import State
from .progress import Progress
from .rows import place_columns, rows_of

ROWS_AT_ONCE: Final = 1_000
"""The rows of one INSERT."""


class TableMirror:
    """Keeps a table like `writ.sqlalchemy.grants_table`. Only one mirror may write a table. Any thread may use it.

    A process that does not keep the table may make one to `wait` for the process that does.
    """

    def __init__(self, database: sa.Engine, table: sa.Table):
        """It does nothing before the first `refresh`."""
        self._database, self._table = database, table
        self._lock = threading.Lock()
        self._progress = Progress(database, table)
        self._state: State | None = None
        self.revision_token: str | None = None

    def refresh(self, engine: Engine) -> bool:
        """Brings the table to the revision in force. Returns whether there was another one than at the last call.

        The first call compares all rows with the grants, and so does one with another bundle. Other calls write only
        what changed. Raises what the database raises. Then nothing has changed, and the next call tries again.
        """
        with self._lock:
            pinned = engine.pinned()
            state, token = pinned.state, pinned.revision_token
            if state is self._state:
                return False
            self._progress.prepare()
            changed = None if self._state is None else changed_grants(self._state, state)
            with self._database.begin() as connection:
                if changed is None:
                    self._replace(connection, state, token)
                else:
                    self._update(connection, changed, token)
                self._progress.note(connection, token)
            self._state, self.revision_token = state, token
            return True

    def wait(self, token: str | None, timeout: float = WRITE_SECONDS) -> None:
        """Waits until the table has the revision of a token, or a newer one. None names no write: it returns at once.

        It reads the row of progress that the process with the mirror writes beside the grants.

        Raises FollowError if the revision is not there after `timeout` seconds, and what the database raises.
        """
        self._progress.wait(token, timeout)

    def _update(self, connection: sa.Connection, changed: list[Held], token: str | None) -> None:
        for place, _ in changed:
            same = (self._table.c[name].is_not_distinct_from(value) for name, value in place_columns(place).items())
            connection.execute(sa.delete(self._table).where(*same))
        self._insert(connection, list(rows_of(changed, token)))

    def _replace(self, connection: sa.Connection, state: State, token: str | None) -> None:
        """Deletes rows that are no grants, and adds those that are missing. Rows that stay are not written."""
        names = [column.name for column in self._table.columns if column.name != "revision"]
        wanted = {tuple(row[name] for name in names): row for row in rows_of(all_grants(state), token)}
        found = set[tuple[Any, ...]]()
        gone = list[tuple[Any, ...]]()
        for row in connection.execute(sa.select(*(self._table.c[name] for name in names))):
            (found.add if tuple(row) in wanted else gone.append)(tuple(row))
        for key in gone:
            same = (self._table.c[name].is_not_distinct_from(value) for name, value in zip(names, key, strict=True))
            connection.execute(sa.delete(self._table).where(*same))
        self._insert(connection, [row for key, row in wanted.items() if key not in found])

    def _insert(self, connection: sa.Connection, rows: list[dict[str, Any]]) -> None:
        for some in _batches(rows):
            connection.execute(sa.insert(self._table), some)


def _batches(rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    for start in range(0, len(rows), ROWS_AT_ONCE):
        yield rows[start : start + ROWS_AT_ONCE]
