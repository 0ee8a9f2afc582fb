"""The copy of a store that an upgrade leaves beside it, so that an operator can go back to the older program."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from .....bundles.conditions.instants import show_seconds
from ...errors import StoreUnavailable
from .connections import SqliteConnections
from .copying import BESIDE, copy_database, remove_files, unfinished_file

MOST_COPIES: Final = 3
"""The number of copies that stay. A further upgrade removes the oldest."""

_UNFINISHED: Final = ".upgrade.unfinished"
_NAME: Final = re.compile(r"\.format-([0-9]{1,9})\.([0-9]{8}T[0-9]{6}Z)")


def keep_copy(connections: SqliteConnections, version: int, newest: int, now: float) -> Path:
    """Copies the database to a new file beside it, mode 0600, and returns its path. `now` is in epoch seconds.

    The name has the format and the time: `writ.db.format-1.20261122T220300Z`. Raises StoreUnavailable.
    """
    path = connections.path
    time = re.sub(r"[-:]|\.[0-9]+", "", show_seconds(now))
    copy = path.with_name(f"{path.name}.format-{version}.{time}")
    try:
        remove_files(path.with_name(_UNFINISHED), "", *BESIDE)  # left by a killed upgrade
        with unfinished_file(copy, _UNFINISHED) as unfinished:
            copy_database(connections, unfinished)
    except StoreUnavailable as ex:
        raise StoreUnavailable(
            f"the store `{path}` is not upgraded from format {version} to {newest}, because the copy of it that Writ"
            f" keeps can't be written ({ex}); make room for a copy in `{path.parent}`",
            "the store can't be upgraded, because there is no room for a copy of it",
        ) from ex
    return copy


def newest_copy(path: Path, most_version: int) -> Path | None:
    """Returns the last copy of the database `path` with a format up to `most_version`, or None if there is none."""
    return next((copy for copy, version in _copies(path) if version <= most_version), None)


def drop_old_copies(path: Path) -> None:
    """Removes all copies of the database `path` but the last `MOST_COPIES`."""
    for copy, _ in _copies(path)[MOST_COPIES:]:
        with suppress(OSError):  # one copy too many is no reason to fail, and the next upgrade tries again
            copy.unlink()


def drop_repeated_copy(path: Path, copy: Path) -> None:
    """Removes the copy that a failed upgrade of the database `path` made, if an earlier one has the same format.

    The database is as it was. Without this, a service that is started again and again would fill the disk.
    """
    versions = dict(_copies(path))
    version = versions.pop(copy, None)
    if version in versions.values():
        with suppress(OSError):  # the reason of the failure counts
            copy.unlink()


def _copies(path: Path) -> list[tuple[Path, int]]:
    """Returns the copies and their formats, the last one first."""
    found = []
    for copy in path.parent.glob(f"{path.name}.format-*"):
        matched = _NAME.fullmatch(copy.name, len(path.name))
        if matched is not None:
            found.append((matched[2], int(matched[1]), copy))
    return [(copy, version) for _, version, copy in sorted(found, reverse=True)]
