"""The progress of a mirror: a table of one row that has the token of the revision which the table of grants has."""

import logging
import time
from typing import Final

import sqlalchemy as sa

from ..api.agent.following import WRITE_SECONDS, FollowError
from ..api.agent.reaching import NeverReached, reaches
from ..api.telemetry.log import LOG

LOOK_SECONDS: Final = 0.02
"""The time between two looks at the row, in seconds."""

_TOKEN_LENGTH: Final = 100


class Progress:
    """The table with the name of the grants' and `_progress`. The mirror writes it, and any process may wait for it."""

    def __init__(self, database: sa.Engine, grants: sa.Table):
        """It does nothing before the first call."""
        self._database = database
        token = sa.Column("token", sa.String(_TOKEN_LENGTH), nullable=True)
        self._table = sa.Table(f"{grants.name}_progress", sa.MetaData(), token, schema=grants.schema)
        self._is_there = self._is_told = False

    def prepare(self) -> None:
        """Makes the table, if it is missing. If the database refuses that, one line in the log says so."""
        if self._is_there:
            return
        try:
            self._table.create(self._database, checkfirst=True)
            self._is_there = True
        except sa.exc.DBAPIError as ex:
            if self._is_told:
                return
            self._is_told = True
            message = "the table %s can't be made, so other processes can't wait for grants: %s"
            logging.getLogger(LOG).warning(message, self._table.fullname, type(ex.orig).__name__)

    def note(self, connection: sa.Connection, token: str | None) -> None:
        """Writes the token in the transaction that writes the grants."""
        if self._is_there:
            connection.execute(sa.delete(self._table))
            connection.execute(sa.insert(self._table), {"token": token})

    def wait(self, token: str | None, timeout: float = WRITE_SECONDS) -> None:
        """See `TableMirror.wait`."""
        ends = time.monotonic() + timeout
        try:
            while token is not None and not reaches(self._noted(), token):
                if time.monotonic() >= ends:
                    message = f"the table of grants has not the revision {token} after {timeout:g} seconds"
                    raise FollowError(f"{message}: is its mirror running?")
                time.sleep(LOOK_SECONDS)
        except NeverReached as ex:
            raise FollowError(str(ex)) from None

    def _noted(self) -> str | None:
        """Returns the token of the table, or None if no mirror has noted one yet."""
        with self._database.connect() as connection:
            self._is_there = self._is_there or sa.inspect(connection).has_table(
                self._table.name, schema=self._table.schema
            )
            return connection.scalar(sa.select(self._table.c.token)) if self._is_there else None
