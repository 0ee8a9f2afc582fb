"""`writ backup`: a copy of a store, made while a service runs on it."""

from pathlib import Path

import click

from api.cli.output import Unreadable, error_console
from api.cli.stored import data_option, opened
from api.store.actor import COMMAND_LINE
from api.store.audit.events import Event
from api.store.refusals import StoreUnavailable
from api.store.store import Store


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@data_option
def backup_command(file: Path, directory: Path) -> None:
    """Copy the store, as it is at one instant, to FILE, which must not be there yet. A service goes on meanwhile.

    `writ restore` makes a data directory of it. Exit code 2 where something can't be read or written.

    \b
    Examples:
      writ backup writ-monday.db
      writ backup /backups/writ.db --data /var/lib/writ
    """
    if not file.parent.is_dir():
        raise Unreadable(f"{file.parent}: the folder does not exist")
    try:
        store = opened(directory)
        store.backup(file)
        _tell(store, file)
    except StoreUnavailable as ex:
        raise Unreadable(str(ex)) from None
    error_console().print(f"{file}: {file.stat().st_size:,} bytes", markup=False)


def _tell(store: Store, file: Path) -> None:
    """Have the audit log say that there is a copy; there is none that it does not know of."""
    try:
        store.audit.tell(COMMAND_LINE, Event.STORE_BACKED_UP, {"file": str(file)})
    except BaseException:
        file.unlink(missing_ok=True)
        raise
