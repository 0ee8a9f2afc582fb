"""`writ backup`: a copy of a store, made while a service runs on it."""

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
    """Copy the store, as it is at one instant, to FILE, which must not be there yet. A service goes on meanwhile.

    The audit log tells of it before it is made, and so even where it can't be made. `writ restore` makes a data
    directory of it. Exit code 2 where something can't be read or written.

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
        # There is no copy that the log does not know of; where the copy fails then, it tells of one too many.
        store.audit.record(COMMAND_LINE, Event.STORE_BACKED_UP, {"file": str(file)})
        store.backup(file)
    except StoreUnavailable as ex:
        raise CommandFailed(str(ex)) from None
    error_console().print(f"{file}: {file.stat().st_size:,} bytes", markup=False)


def refuse_undecodable(file: Path) -> None:
    """Raises CommandFailed for a name that is no text, which the audit log could not tell of."""
    try:
        str(file).encode()
    except UnicodeEncodeError:
        shown = os.fsencode(file).decode("utf-8", "backslashreplace")
        raise CommandFailed(f"{shown}: the name of the file is not UTF-8; rename it") from None
