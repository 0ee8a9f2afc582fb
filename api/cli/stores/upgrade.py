"""`writ upgrade`: brings a store to the format of this version."""

from pathlib import Path

import click

from ....bundles.system_errors import os_sentence
from ...engines.live.data_directory import UnusableDirectory, hold, prepare_directory
from ...store.database.newest_format import STORE_FORMAT
from ...store.errors import StoreUnavailable
from ...store.store import Store
from ..output import CommandFailed, error_console
from .store_opening import command_settings, data_option, refuse_without_store, store_server


@click.command("upgrade")
@data_option
def upgrade_command(directory: Path) -> None:
    """Bring a store to the format of this version. Stop the service first: a store that is served is refused.

    `writ serve` does the same at its start. No other command changes a format. Writ keeps a copy of the store as it
    was. If the upgrade fails, the store is as it was, and the exit code is 2.

    \b
    Examples:
      writ upgrade
      writ upgrade --data /var/lib/writ
    """
    refuse_without_store(directory)
    try:
        prepare_directory(directory)
        with hold(directory):
            server = store_server(command_settings())
            store = Store.open(directory, create=False, upgrade=True, server=server)
            store.close()
    except (StoreUnavailable, UnusableDirectory) as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    copy = "" if store.upgraded_from is None else f"; {store.upgraded_from} is a copy from before the upgrade"
    error_console().print(f"{directory} has format {STORE_FORMAT}{copy}", markup=False)
