"""Following with a mirror: a thread brings the table to each revision that comes into force."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from ..api.agent.follow import follow
from ..api.agent.following import WRITE_SECONDS, Following
from ..api.telemetry.log import LOG
from .table_mirror import TableMirror

RETRY_SECONDS: Final = 5.0
"""The time until the next try after the database refused a write, in seconds."""

CLOSE_SECONDS: Final = 5.0
"""The longest time that closing waits for the thread, in seconds."""


class KeptTable(TableMirror):
    """A table of grants that a thread keeps, so one can wait until it has a write."""

    def __init__(self, database: sa.Engine, table: sa.Table, following: Following):
        """The table is brought to the revisions of `following`."""
        super().__init__(database, table)
        self._following = following

    def wait(self, token: str | None, timeout: float = WRITE_SECONDS) -> None:
        """Wait until the table has the revision of a token, or a newer one. None names no write: it returns at once.

        Raises FollowError if the revision is not in force after `timeout` seconds, and what the database raises.
        """
        if token is not None:
            self.refresh(self._following.wait(token, timeout))


@contextmanager
def keep(
    source: str | Path, database: sa.Engine, table: sa.Table, retry_seconds: float = RETRY_SECONDS, **options: Any
) -> Iterator[tuple[Following, "KeptTable"]]:
    """Follows a source as `writ.follow` does, and keeps the table of grants at its newest revision, inside `with`.

    The table is up to date when the block starts. `options` are those of `writ.follow`. If the database refuses a
    write, the error is logged, and the thread tries again. Only one process may keep a table. Raises what `follow`
    raises, and what the database raises at the start.
    """
    changed, stop = threading.Event(), threading.Event()
    told = options.pop("on_change", None)

    def on_change(status: Any) -> None:
        changed.set()
        if told is not None:
            told(status)

    with follow(source, on_change=on_change, **options) as following:
        mirror = KeptTable(database, table, following)
        mirror.refresh(following.engine)
        arguments = (following, mirror, changed, stop, retry_seconds)
        thread = threading.Thread(target=_run, args=arguments, name="writ-mirror", daemon=True)
        thread.start()
        try:
            yield following, mirror
        finally:
            stop.set()
            changed.set()
            thread.join(CLOSE_SECONDS)


def _run(
    following: Following, mirror: TableMirror, changed: threading.Event, stop: threading.Event, retry_seconds: float
) -> None:
    while not stop.is_set():
        changed.wait()
        changed.clear()
        while not stop.is_set():
            try:
                mirror.refresh(following.engine)
                break
            except Exception as ex:  # the thread must outlive every failure of a database
                logging.getLogger(LOG).warning("the table of grants is not up to date: %s", type(ex).__name__)
                stop.wait(retry_seconds)
