"""What the commands on a store share: where it is, which environment, opening or making it, and its first key."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource
from rich.console import Console

from ...credentials.admin_access import AdminAccess, admin_access, keep_adopted
from ...credentials.admin_key import store_digest, write_key
from ...serving.data_directory import hold, prepare_directory
from ...settings import settings_from
from ...store.actor import COMMAND_LINE
from ...store.audit.events import Event
from ...store.database.opening import FILE
from ...store.environments import DEFAULT
from ...store.store import Store
from ..output import CommandFailed, error_console

_Command = Callable[..., Any]
_T = TypeVar("_T")


def data_option(command: _Command) -> _Command:
    """`--data DIR`, given to the command as `directory`; before a subcommand it counts for that."""
    option = click.option(
        "--data",
        "directory",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("writ-data"),
        show_default=True,
        callback=_inherited,
        help="The data directory.",
    )
    return option(command)


def _inherited(context: click.Context, parameter: click.Parameter, value: Path) -> Path:
    """What was said before the subcommand counts where nothing is said behind it."""
    default = context.get_parameter_source(str(parameter.name)) is ParameterSource.DEFAULT
    outer = context.parent.params.get(str(parameter.name)) if context.parent else None
    return outer if default and isinstance(outer, Path) else value


def env_option(command: _Command) -> _Command:
    """`--env NAME`, given to the command as `environment`."""
    option = click.option("--env", "environment", default=DEFAULT, show_default=True, help="The environment.")
    return option(command)


def open_store(directory: Path) -> Store:
    """The store that is there. Raises CommandFailed where there is none, StoreUnavailable."""
    refuse_without_store(directory)
    return Store.open(directory)


def refuse_without_store(directory: Path) -> None:
    """Raises CommandFailed where there is none."""
    if not (directory / FILE).exists():
        raise CommandFailed(f"`{directory}` has no store; `writ serve --data {directory}` makes one")


def open_or_create_store(directory: Path) -> Store:
    """The store that is there, else one as `writ serve` makes it, with its administrator's key.

    Raises BadSetting, UnusableDirectory and UnusableKey where none can be made, StoreUnavailable, OSError.
    """
    if (directory / FILE).exists():
        return Store.open(directory)
    settings = settings_from(os.environ)
    prepare_directory(directory)
    with hold(directory):
        access = admin_access(directory, settings.admin_key)
        store = Store.open(directory)
        if access.is_new:
            store.audit.record(COMMAND_LINE, Event.ADMIN_KEY_SET)
        keep_adopted(directory, access)
        show_admin_key(error_console(), directory, access)
    return store


def all_items(page: Callable[[str | None], tuple[list[_T], str | None]]) -> Iterator[_T]:
    """What is on all pages; `page` gives one by its cursor, None for the first, and the cursor of the next."""
    cursor: str | None = None
    while True:
        found, cursor = page(cursor)
        yield from found
        if cursor is None:
            return


def show_admin_key(console: Console, directory: Path, access: AdminAccess) -> None:
    """Show a new administrator's key once, on a terminal, or leave it in a file; then keep its digest.

    Of a preset key that is new here it says so: a variable that is set for something else is taken too.
    """
    if access.replaces:
        console.print("The administrator's key is now the one in WRIT_ADMIN_KEY; the one before is not valid any more")
    elif access.adopted:
        console.print("The administrator's key is the one in WRIT_ADMIN_KEY")
    if access.fresh_key is None:
        return
    if console.is_terminal:
        store_digest(directory, access.digest)
        console.print("The administrator's key, shown only this once:")
        console.print(f"  {access.fresh_key}", style="bold", markup=False)
    else:
        path = write_key(directory, access.fresh_key)
        store_digest(directory, access.digest)
        console.print(f"The administrator's key is in {path}", markup=False)
