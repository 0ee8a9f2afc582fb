"""The shared parts of the commands on a store: their options, and opening or making the store."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from rich.console import Console

from ...engines.live.data_directory import hold, prepare_directory
from ...identity.admin_access import AdminAccess, admin_access, details_of, keep_adopted, supplied_by
from ...identity.admin_key import store_keys, write_key
from ...settings.settings import BadSetting, Settings, settings_from
from ...store.actor import command_actor
from ...store.audit.events import Event
from ...store.database.connections import DatabaseServer
from ...store.database.sqlite.opening import FILE
from ...store.environment_ids import DEFAULT
from ...store.leases.reaching import reached_by_command
from ...store.store import Store
from ..output import CommandFailed, error_console
from ..source_paths import FilePath

_Command = Callable[..., Any]
_T = TypeVar("_T")


def data_option(command: _Command) -> _Command:
    """Adds `--data DIR`, the parameter `directory`. Before a subcommand it counts for the subcommand."""
    option = click.option(
        "--data",
        "directory",
        type=FilePath(file_okay=False),
        default=Path("writ-data"),
        show_default=True,
        callback=inherited,
        help="The data directory.",
    )
    return option(command)


def inherited(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Returns the value of a subcommand's option, or else the one given before the subcommand (a callback of click)."""
    default = context.get_parameter_source(str(parameter.name)) is ParameterSource.DEFAULT
    outer = context.parent.params.get(str(parameter.name)) if context.parent else None
    return outer if default and outer is not None else value


def env_option(command: _Command) -> _Command:
    """Adds `--env NAME`, the parameter `environment`."""
    option = click.option("--env", "environment", default=DEFAULT, show_default=True, help="The environment.")
    return option(command)


def command_settings() -> Settings:
    """Returns the settings that the environment gives. Raises CommandFailed if one can't be used."""
    try:
        return settings_from(os.environ)
    except BadSetting as ex:
        raise CommandFailed(str(ex)) from None


def open_store(directory: Path) -> Store:
    """Returns the store of a data directory, or the one that WRIT_STORE names.

    Raises CommandFailed if it has none, StoreUnavailable.
    """
    refuse_without_store(directory)
    return Store.open(directory, create=False, server=store_server(command_settings()))


def store_server(settings: Settings) -> DatabaseServer | None:
    """Returns the database that has the store by WRIT_STORE, or None if it is in the data directory.

    Raises StoreUnavailable.
    """
    named = settings.store
    return None if named.url is None else reached_by_command(named.url, named.lease_seconds)


def refuse_server(doing: str) -> None:
    """Raises CommandFailed if WRIT_STORE names a database: what is done with files is not done with it."""
    if command_settings().store.url is not None:
        raise CommandFailed(
            f"WRIT_STORE names a database, which PostgreSQL's own tools {doing}; unset it to use the data directory"
        )


def refuse_without_store(directory: Path) -> None:
    """Raises CommandFailed if a data directory has no store, and WRIT_STORE names none."""
    if command_settings().store.url is None and not (directory / FILE).exists():
        raise CommandFailed(f"`{directory}` has no store; make one with `writ serve --data {directory}`")


def open_or_create_store(directory: Path) -> Store:
    """Returns the store of a data directory. If it has none, makes one with an administrator's key, as `writ serve`.

    Raises:
        BadSetting, UnusableDirectory, UnusableKey: no store can be made.
        StoreUnavailable, OSError: the store can't be opened.
    """
    settings = settings_from(os.environ)
    if settings.store.url is not None or (directory / FILE).exists():
        return Store.open(directory, server=store_server(settings))
    prepare_directory(directory)
    with hold(directory):
        access = admin_access(directory, supplied_by(settings.admin_key, settings.admin_key_file))
        store = Store.open(directory)
        if access.is_new:
            store.audit.record(command_actor(), Event.ADMIN_KEY_SET, details_of(access.keys))
        keep_adopted(directory, access)
        show_admin_key(error_console(), directory, access)
    return store


def all_items(page: Callable[[str | None], tuple[list[_T], str | None]]) -> Iterator[_T]:
    """Yields the items of all pages. `page` takes a cursor, or None, and also returns the next one."""
    cursor: str | None = None
    while True:
        found, cursor = page(cursor)
        yield from found
        if cursor is None:
            return


def show_admin_key(console: Console, directory: Path, access: AdminAccess) -> None:
    """Shows a new administrator's key once on a terminal, or else writes it to a file. Then stores its digest.

    Also says if a supplied key is new here, in case the variable was set for another purpose.
    """
    if access.adopted is not None:
        show_supplied(console, access.adopted.variable, access.replaces)
    if access.fresh_key is None:
        return
    if console.is_terminal:
        store_keys(directory, access.keys)
        console.print("The administrator's key, shown only this once:")
        console.print(f"  {access.fresh_key}", style="bold", markup=False)
    else:
        path = write_key(directory, access.fresh_key)
        store_keys(directory, access.keys)
        console.print(f"The administrator's key is in {path}", markup=False)


def show_supplied(console: Console, variable: str, replaces: bool) -> None:
    """Says that a variable supplies the administrator's key, and whether another one was valid before."""
    if replaces:
        console.print(f"The administrator's key is now the one in {variable}. The previous key is not valid any more.")
    else:
        console.print(f"The administrator's key is the one in {variable}")
