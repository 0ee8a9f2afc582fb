"""The options that choose a place: `--data` for a store, or `--url` with a token for a service."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from ..service_options import refuse_without_url, service_at
from ..source_paths import FilePath
from ..stores.store_opening import inherited
from .environment_host import EnvironmentHost
from .served_environments import ServedPlace
from .stored_environments import StoredPlace

_Command = Callable[..., Any]


def place_options(command: _Command) -> _Command:
    """Adds `--data`, `--url`, `--token-file` and `--ca-file`, and gives the command the parameter `place`.

    A group is not called if a subcommand is: its options count for the subcommand.
    """

    @click.option(
        "--data",
        "directory",
        type=FilePath(file_okay=False),
        callback=inherited,
        help="The data directory of a store. The default is writ-data.",
    )
    @click.option(
        "--url",
        callback=inherited,
        help="A running service instead of a store. Set WRIT_TOKEN to an API key or a token.",
    )
    @click.option(
        "--token-file",
        type=FilePath(),
        callback=inherited,
        help="The file with the API key or the token.",
    )
    @click.option(
        "--ca-file",
        type=FilePath(),
        callback=inherited,
        help="The authorities for the service's certificate (PEM).",
    )
    @wraps(command)
    def with_place(
        *, directory: Path | None, url: str | None, token_file: Path | None, ca_file: Path | None, **options: Any
    ) -> Any:
        if click.get_current_context().invoked_subcommand is not None:  # the subcommand takes these options over
            return None
        return command(place=_place(directory, url, token_file, ca_file), **options)

    return with_place


def _place(directory: Path | None, url: str | None, token_file: Path | None, ca_file: Path | None) -> EnvironmentHost:
    refuse_without_url(url, token_file, ca_file)
    if url is None:
        return StoredPlace(directory or Path("writ-data"))
    if directory is not None:
        raise click.UsageError("give `--data` or `--url`, not both")
    return ServedPlace(service_at(url, token_file, ca_file))
