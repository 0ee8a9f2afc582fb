"""`writ restore`: a data directory from a backup."""

from pathlib import Path

import click

from api.cli.output import Unreadable, error_console
from api.cli.stored import data_option
from api.startup import UnusableDirectory, hold, prepare_directory
from api.store.backup import restore
from api.store.refusals import StoreUnavailable


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@data_option
def restore_command(file: Path, directory: Path) -> None:
    """Make FILE, a backup, the store of a data directory that no service runs on; a store that is there is put aside.

    The epoch of every environment rises, so that nobody takes what follows for what was before. Exit code 2 where
    something can't be read or written.

    \b
    Examples:
      writ restore writ-monday.db
      writ restore /backups/writ.db --data /var/lib/writ
    """
    try:
        prepare_directory(directory)
        with hold(directory):
            restore(file, directory)
    except (StoreUnavailable, UnusableDirectory) as ex:
        raise Unreadable(str(ex)) from None
    error_console().print(f"{directory} is restored from {file}", markup=False)
