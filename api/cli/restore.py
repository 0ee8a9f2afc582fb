"""`writ restore`: a data directory from a backup."""

from pathlib import Path

import click

from api.cli.output import Unreadable, error_console, os_sentence
from api.cli.stored import data_option
from api.startup import UnusableDirectory, hold, prepare_directory
from api.store.backup import Restored, restore
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
            restored = restore(file, directory)
    except (StoreUnavailable, UnusableDirectory) as ex:
        raise Unreadable(str(ex)) from None
    except OSError as ex:
        raise Unreadable(os_sentence(ex)) from None
    _tell(file, directory, restored)


def _tell(file: Path, directory: Path, restored: Restored) -> None:
    lines = [f"{directory} is restored from {file}:"]
    for environment, time in restored.environments:
        state = f"revision {environment.revision} of {time}" if time else "no model yet"
        lines.append(f"  {environment.id}: {state}; its epoch is {environment.epoch} now")
    if restored.kept is not None:
        lines.append(f"The store that was there is kept as {restored.kept}")
    lines.append(f"Next: `writ serve --data {directory}`, which makes the bundles anew")
    error_console().print("\n".join(lines), markup=False)
