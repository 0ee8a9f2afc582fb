"""`writ backup`: copies a store, even while a service uses it."""

import os
from pathlib import Path

import click

from ...store.actor import COMMAND_LINE
from ...store.audit.events import Event
from ...store.errors import StoreUnavailable
from ..output import CommandFailed, error_console
from .opening import data_option, open_store


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@data_option
def backup_command(file: Path, directory: Path) -> None:
    """Copy the store, as of one instant, to FILE. FILE must not exist yet. A service may run meanwhile.

    The audit log records the backup before Writ makes it, so a backup that fails is recorded too. To use the backup,
    run `writ restore`. Exit code 2 if a file can't be read or written.

    \b
    Examples:
      writ backup writ-monday.db
      writ backup /backups/writ.db --data /var/lib/writ
    """
    refuse_undecodable(file)
    if not file.parent.is_dir():
        raise CommandFailed(f"{file.parent}: the folder does not exist")
    try:
        store = open_store(directory)
        # Recorded first, so that there is never a copy without an entry. If the copy fails, there is an entry too many.
        store.audit.record(COMMAND_LINE, Event.STORE_BACKED_UP, {"file": str(file)})
        store.backup(file)
    except StoreUnavailable as ex:
        raise CommandFailed(str(ex)) from None
    error_console().print(f"{file}: {file.stat().st_size:,} bytes", markup=False)


def refuse_undecodable(file: Path) -> None:
    """Raises CommandFailed if the name of the file is not UTF-8, since the audit log can't record it."""
    try:
        str(file).encode()
    except UnicodeEncodeError:
        shown = os.fsencode(file).decode("utf-8", "backslashreplace")
        raise CommandFailed(f"{shown}: the name of the file is not UTF-8; rename it") from None
