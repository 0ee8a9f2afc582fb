"""A data directory as the place of a store that is copied: it is read whole, or a new one appears there whole."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from ...errors import StoreUnavailable
from .connection import SqliteConnection
from .connections import SqliteConnections
from .copying import BESIDE, remove_files, unfinished_file
from .migrating import check_application, migrate
from .opening import FILE
from .soundness import fold

_UNFINISHED: Final = f".{FILE}.copied"


class DirectoryPlace:
    """A data directory, whose lock the caller has while it uses it."""

    def __init__(self, directory: Path) -> None:
        """Look at nothing yet."""
        self.directory: Final = directory
        self.shown: Final = str(directory)
        self._path: Final = directory / FILE

    def require_store(self) -> None:
        """Raises StoreUnavailable if there is none."""
        if not self._path.exists():
            raise StoreUnavailable(f"`{self.directory}` has no store; name the data directory of one")

    def refuse_store(self) -> None:
        """Raises StoreUnavailable if there is one, or a file that SQLite would read with one."""
        if any(self._path.with_name(self._path.name + ending).exists() for ending in ("", *BESIDE)):
            raise StoreUnavailable(f"`{self.directory}` has a store already; name a new directory")

    @contextmanager
    def opened(self) -> Iterator[SqliteConnections]:
        """Yields the connections to the store. Raises StoreUnavailable, also for a store of an older format."""
        self.require_store()
        with closing(SqliteConnections(self._path, "FULL")) as connections:
            with connections.translated(), closing(connections.fresh()) as db:
                if not check_application(db, self._path):
                    raise StoreUnavailable(f"`{self.directory}` has no store, but an empty file; restore a backup")
            migrate(connections, upgrade=False)
            yield connections

    @contextmanager
    def filling(self) -> Iterator[SqliteConnection]:
        """Yields a connection to a new store in a transaction. If the block raises, there is none.

        Raises StoreUnavailable, also if there is a store already, and OSError.
        """
        self.refuse_store()
        remove_files(self._path.with_name(_UNFINISHED), "", *BESIDE)  # left by a killed process
        with unfinished_file(self._path, _UNFINISHED) as file:
            # "OFF": the whole file is written to the disk before it gets its name.
            with closing(SqliteConnections(file, "OFF")) as connections:
                migrate(connections)
                with connections.writing() as db:
                    db.expect_large_write(True)
                    yield db
            fold(connections)
