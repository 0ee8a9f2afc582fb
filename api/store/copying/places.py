"""The places of stores that are copied: a data directory, or a database of PostgreSQL."""

import re
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, Protocol

from ...settings.store_url import url_fault
from ..database.connection import Connection
from ..database.connections import StoreConnections
from ..database.sqlite.place import DirectoryPlace
from ..errors import StoreUnavailable, driver_needed

_SCHEME: Final = re.compile(r"\w+:/")
_URLS: Final = ("postgresql://", "postgres://")


class Place(Protocol):
    """A place. Every method raises StoreUnavailable if the place can't be used."""

    @property
    def directory(self) -> Path | None:
        """The data directory, whose lock the caller has while it uses the place. None: it is no directory."""

    @property
    def shown(self) -> str:
        """The place as messages name it, without credentials."""

    def require_store(self) -> None:
        """Refuse the place if it is plain to see, without the lock, that there is no store."""

    def refuse_store(self) -> None:
        """Refuse the place if it is plain to see, without the lock, that there is a store."""

    def opened(self) -> AbstractContextManager[StoreConnections]:
        """Returns the connections to the store of the newest format that is there."""

    def filling(self) -> AbstractContextManager[Connection]:
        """Returns a connection to a new store, in a transaction. If the block raises, there is none."""


def place_named(text: str) -> Place:
    """Returns the place that a path or a URL names. Raises StoreUnavailable, without the URL, if it can't be read."""
    if not _SCHEME.match(text):
        return DirectoryPlace(Path(text))
    if not text.startswith(_URLS):
        raise StoreUnavailable("the URL of a store begins with `postgresql://`; correct it, or name a data directory")
    if fault := url_fault(text):
        raise StoreUnavailable(f"the URL of the store {fault}")
    with driver_needed():
        from ..database.postgresql.place import DatabasePlace
    return DatabasePlace(text)
