"""`writ upgrade`: brings a store to the format of this version."""

from contextlib import closing, nullcontext
from pathlib import Path
from typing import Final

import click

from ....bundles.system_errors import os_sentence
from ...engines.live.data_directory import UnusableDirectory, hold, prepare_directory
from ...store.actor import command_actor
from ...store.database.newest_format import STORE_FORMAT
from ...store.errors import Conflict, StoreUnavailable
from ...store.store import Store
from ..output import CommandFailed, CommandRefused, error_console
from .store_opening import command_settings, data_option, refuse_without_store, store_server

_NOTHING_SHARED: Final = "`--finish` is for a store on PostgreSQL; a start upgrades a store in a file"


@click.command("upgrade")
@data_option
@click.option(
    "--finish",
    is_flag=True,
    help="End the sharing of a store on PostgreSQL with servers of the format before, while newer ones go on.",
)
def upgrade_command(directory: Path, finish: bool) -> None:
    """Bring a store to the format of this version. Stop the service first: a store that is served is refused.

    `writ serve` does the same at its start with a store in a file. On PostgreSQL it leaves the format to older servers,
    until this command is run. `--finish` does it while servers of this version run. Older ones must have ended.

    No other command changes a format. Writ keeps a copy of a store in a file as it was. If the upgrade fails, the store
    is as it was, and the exit code is 2. If a server still needs the older format, it is 1.

    \b
    Examples:
      writ upgrade
      writ upgrade --data /var/lib/writ
      writ upgrade --finish
    """
    refuse_without_store(directory)
    try:
        prepare_directory(directory)
        with nullcontext() if finish else hold(directory):
            copy = _upgraded(directory, finish)
    except (StoreUnavailable, UnusableDirectory) as ex:
        raise CommandFailed(str(ex)) from None
    except Conflict as ex:
        raise CommandRefused(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    told = "" if copy is None else f"; {copy} is a copy from before the upgrade"
    error_console().print(f"{directory} has format {STORE_FORMAT}{told}", markup=False)


def _upgraded(directory: Path, finish: bool) -> Path | None:
    """Upgrade the store of a data directory. Returns the copy from before.

    Raises CommandFailed, StoreUnavailable, and Conflict while a server needs the older format.
    """
    server = store_server(command_settings())
    if finish and server is None:
        raise CommandFailed(_NOTHING_SHARED)
    with closing(Store.open(directory, create=False, upgrade=True, server=server)) as store:
        store.contraction.finish(command_actor(), stopped=not finish)
        return store.upgraded_from
