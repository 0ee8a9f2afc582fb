"""The trace of the last backup: a file in the data directory, which the metrics and `writ doctor` read."""

import os
from pathlib import Path
from typing import Final

import msgspec

from ....bundles.conditions.instants import SECOND, from_seconds, parse_instant, show_seconds
from ....bundles.prepared import prepared
from ....bundles.system_errors import reason_of
from ..database.private_files import write_atomically
from ..errors import StoreUnavailable

FILE: Final = "last-backup"
"""The file in the data directory. It is not in a backup, so a restored store elsewhere has none."""

CLOCK_SECONDS: Final = 60.0
"""By how much a backup may seem to come from the future. The time of a later one is not believed."""

_MOST_BYTES: Final = 64 * 1024


@prepared
class LastBackup(msgspec.Struct, frozen=True):
    """The last backup: its `time` (RFC 3339), the instant at which it began, and the path of its `file`."""

    time: str
    file: str

    @property
    def seconds(self) -> float:
        """The time in epoch seconds. Raises ValueError."""
        return parse_instant(self.time) / SECOND


_DECODER: Final = msgspec.json.Decoder(LastBackup)


def note_backup(directory: Path, file: Path, began: float) -> None:
    """Remembers a backup that is complete. `began` is in epoch seconds. Raises StoreUnavailable."""
    shown = os.fsencode(file.absolute()).decode(errors="replace")
    trace = LastBackup(show_seconds(int(began)), shown)
    try:
        write_atomically(directory / FILE, msgspec.json.encode(trace))
    except OSError as ex:
        raise StoreUnavailable(
            f"the backup `{file}` is complete, but `{directory / FILE}` can't be written, so the service does not know"
            f" of it: {reason_of(ex)}"
        ) from None


def last_backup(directory: Path, now: float) -> LastBackup | None:
    """Returns the last backup of the store in a data directory, or None if none is known.

    A trace that can't be read, or that comes from the future of `now` (epoch seconds), tells nothing.
    """
    try:
        with (directory / FILE).open("rb") as file:
            found = _DECODER.decode(file.read(_MOST_BYTES))
        instant = parse_instant(found.time)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None
    return found if instant <= from_seconds(now + CLOCK_SECONDS) else None
