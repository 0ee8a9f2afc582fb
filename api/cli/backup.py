"""`writ backup`: a copy of a store, made while a service runs on it."""

from pathlib import Path

import click

from api.cli.output import Unreadable, error_console
from api.cli.stored import data_option, opened
from api.store.refusals import StoreUnavailable


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
        opened(directory).backup(file)
    except StoreUnavailable as ex:
        raise Unreadable(str(ex)) from None
    error_console().print(f"{file}: {file.stat().st_size:,} bytes", markup=False)
