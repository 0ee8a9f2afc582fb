"""A bundle file as a source: looked at now and then, and opened when another file has its path."""

from pathlib import Path
from typing import Final

from ....bundles.system_errors import public_reason
from .bundle_source import Answer, Ask, FetchedBundle, SourceError, Unchanged

LOOK_SECONDS: Final = 1.0
"""The seconds between two looks at the path."""


class FileSource:
    """The bundle at a path. To replace it, rename another file to the path: a file in use must never change.

    `interval` is in seconds.
    """

    def __init__(self, path: Path, interval: float = LOOK_SECONDS):
        self._path, self.interval = path, interval
        self.name = f"`{path}`"

    def fetch(self, ask: Ask) -> Answer:
        """See `BundleSource`."""
        try:
            found = self._path.stat()
        except OSError as ex:
            said = f"{self.name} can't be read: {public_reason(ex)}"
            raise SourceError(said, is_away=True) from None
        tag = f"{found.st_dev}.{found.st_ino}.{found.st_size}.{found.st_mtime_ns}"
        if ask.tag == tag:
            return Unchanged(tag)
        return FetchedBundle(self._path, tag, temporary=False)

    def interrupt(self) -> None:
        """See `BundleSource`. A look at a file takes no time."""

    def close(self) -> None:
        """See `BundleSource`."""
