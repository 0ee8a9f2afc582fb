"""What the commands on a store share: where it is, which environment, and opening it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from api.cli.output import Unreadable
from api.store.environments import DEFAULT
from api.store.opening import FILE
from api.store.store import Store

_Command = Callable[..., Any]


def data_option(command: _Command) -> _Command:
    """`--data DIR`, given to the command as `directory`."""
    option = click.option(
        "--data",
        "directory",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path("writ-data"),
        show_default=True,
        help="The data directory.",
    )
    return option(command)


def env_option(command: _Command) -> _Command:
    """`--env NAME`, given to the command as `environment`."""
    option = click.option("--env", "environment", default=DEFAULT, show_default=True, help="The environment.")
    return option(command)


def opened(directory: Path) -> Store:
    """The store that is there. Raises Unreadable where there is none, StoreUnavailable."""
    if not (directory / FILE).exists():
        raise Unreadable(f"`{directory}` has no store; `writ serve --data {directory}` makes one")
    return Store.open(directory)
