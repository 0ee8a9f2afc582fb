"""Backups that repeat: each verified by opening it, with the oldest ones removed."""

import re
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from ....bundles.conditions.instants import show_seconds
from ....bundles.system_errors import reason_of
from ...store.actor import command_actor
from ...store.audit.events import Event
from ...store.backups.backup import verify_backup
from ...store.errors import StoreUnavailable
from ...store.store import Store

_NAME: Final = re.compile(r"writ-[0-9]{8}T[0-9]{6}Z\.db")

Tell = Callable[[str], None]
"""Receives a sentence for the operator."""

BackUp = Callable[[Path], None]
"""Copies the store to a new file. Raises StoreUnavailable."""

Note = Callable[[Path, float], None]
"""Remembers a backup that is complete, and when it began (epoch seconds). Raises StoreUnavailable."""


def recorded_backup(store: Store, file: Path) -> None:
    """Copies a store to a new file, after an entry in its audit log. Raises StoreUnavailable.

    So there is never a copy without an entry. If the copy fails, there is an entry too many.
    """
    store.audit.record(command_actor(), Event.STORE_BACKED_UP, {"file": str(file)})
    store.backup(file)


def back_up_into(back_up: BackUp, note: Note, folder: Path, keep: int, now: float) -> Path:
    """Makes one verified backup in `folder`, named by the time `now` (epoch seconds), and returns its path.

    Keeps the newest `keep` backups. It removes older ones only after the new one was verified, so the newest good one
    always stays. Raises StoreUnavailable: nothing was removed then, and the file that failed is gone. If the backup is
    complete and only can't be noted, the file stays.
    """
    if not folder.is_dir():  # to make it would fill the disk below a mount point
        raise StoreUnavailable(f"the folder `{folder}` of the backups is gone; put it back")
    file = folder / f"writ-{re.sub(r'[-:]|[.][0-9]+', '', show_seconds(now))}.db"
    back_up(file)
    try:
        verify_backup(file)
    except StoreUnavailable as ex:
        file.unlink(missing_ok=True)
        raise StoreUnavailable(f"the backup `{file}` could not be verified, and older ones stay: {ex}") from ex
    for old in backups_in(folder)[keep:]:
        with suppress(OSError):  # the new one is good, and the next backup tries again
            old.unlink()
    note(file, now)
    return file


def backups_in(folder: Path) -> list[Path]:
    """Returns the backups that this command made in a folder, the newest first. Raises StoreUnavailable."""
    try:
        found = [one for one in folder.iterdir() if _NAME.fullmatch(one.name)]
    except OSError as ex:
        raise StoreUnavailable(f"the folder `{folder}` can't be read: {reason_of(ex)}") from None
    return sorted(found, reverse=True)


def repeat(
    back_up: BackUp, note: Note, folder: Path, seconds: int, keep: int, tell: Tell, stop: threading.Event
) -> bool:
    """Makes backups at once and every `seconds`, until `stop` is set. Returns whether the last one succeeded.

    A backup that fails is told, and tried again at the next time.
    """
    succeeded = True
    due = time.monotonic()
    while not stop.is_set():
        try:
            file = back_up_into(back_up, note, folder, keep, time.time())
            succeeded = True
            tell(f"{file}: {file.stat().st_size:,} bytes, verified")
        except (StoreUnavailable, OSError) as ex:
            succeeded = False
            tell(f"WARNING: {ex}")
        due += seconds
        stop.wait(max(0.0, due - time.monotonic()))
    return succeeded


def stopped_by_signals() -> threading.Event:
    """Returns an event that SIGTERM and SIGINT set. Call it from the main thread."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: stop.set())
    return stop
