"""`writ backup`: copies a store, even while a service uses it."""

import os
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

import click

from ...settings.durations import read_duration
from ...store.backups.backup import back_up_older
from ...store.backups.last_backup import note_backup
from ...store.errors import OlderFormat, StoreUnavailable
from ..output import CommandFailed, error_console
from ..source_paths import FilePath
from .repeated_backups import recorded_backup, repeat, stopped_by_signals
from .store_opening import data_option, open_store, refuse_server

MOST_KEPT: Final = 100_000
"""The most backups that `--keep` takes."""

DEFAULT_KEPT: Final = 24
"""The number of backups that stay without `--keep`."""

MOST_DAYS: Final = 366
"""The longest time between two backups."""


@click.command("backup")
@click.argument("file", type=FilePath())
@click.option("--every", metavar="TIME", help="Make a backup in the folder FILE now and every TIME, like 30m or 1h.")
@click.option("--keep", type=click.IntRange(1, MOST_KEPT), help="With --every: how many stay.  [default: 24]")
@data_option
def backup_command(file: Path, every: str | None, keep: int | None, directory: Path) -> None:
    """Copy the store, as of one instant, to FILE. FILE must not exist yet. A service may run meanwhile.

    With --every, FILE is a folder. Writ makes backups in it until SIGTERM, opens each to verify it, and then removes
    the oldest ones. A backup that fails removes nothing, and Writ tries again at the next time. The exit code is then 1
    if the last backup failed.

    The audit log records the backup before Writ makes it, so a backup that fails is recorded too. A store of an older
    format is only read, and gets no entry. The file `last-backup` in the data directory says when the last complete
    backup began: the metrics and `writ doctor` tell its age. To use the backup, run `writ restore`. Exit code 2 if a
    file can't be read or written.

    \b
    Examples:
      writ backup writ-monday.db
      writ backup /backups/writ.db --data /var/lib/writ
      writ backup --every 1h --keep 24 /backups --data /var/lib/writ
    """
    refuse_undecodable(file)
    if every is not None:
        _repeat(file, every, DEFAULT_KEPT if keep is None else keep, directory)
        return
    if keep is not None:
        raise click.UsageError("`--keep` needs `--every`")
    if file.is_dir():
        raise click.UsageError(f"`{file}` is a folder; name a file in it, or give `--every`")
    if not file.parent.is_dir():
        raise CommandFailed(f"{file.parent}: the folder does not exist")
    began = time.time()
    try:
        _back_up(directory, file)
        note_backup(directory, file, began)
    except StoreUnavailable as ex:
        raise CommandFailed(str(ex)) from None
    error_console().print(f"{file}: {file.stat().st_size:,} bytes", markup=False)


def _repeat(folder: Path, every: str, keep: int, directory: Path) -> None:
    try:
        seconds = read_duration(every, MOST_DAYS)
    except ValueError as ex:
        raise click.UsageError(f"`--every`: {ex}") from None
    if not folder.is_dir():
        raise CommandFailed(f"{folder}: the folder does not exist")
    console = error_console()
    stop = stopped_by_signals()
    try:
        with suppress(OlderFormat):
            open_store(directory).close()
    except StoreUnavailable as ex:
        raise CommandFailed(str(ex)) from None
    back_up, note = partial(_back_up, directory), partial(note_backup, directory)
    succeeded = repeat(back_up, note, folder, seconds, keep, lambda said: console.print(said, markup=False), stop)
    sys.exit(0 if succeeded else 1)


def _back_up(directory: Path, file: Path) -> None:
    """Copies the store, after an entry in its audit log. A store of an older format is only read. Raises as the two."""
    refuse_server("back up")
    try:
        store = open_store(directory)
    except OlderFormat:
        back_up_older(directory, file)
        return
    recorded_backup(store, file)
    store.close()


def refuse_undecodable(file: Path) -> None:
    """Raises CommandFailed if the name of the file is not UTF-8, since the audit log can't record it."""
    try:
        str(file).encode()
    except UnicodeEncodeError:
        shown = os.fsencode(file).decode("utf-8", "backslashreplace")
        raise CommandFailed(f"{shown}: the name of the file is not UTF-8; rename it") from None
