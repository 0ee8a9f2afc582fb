"""The options that choose a place: `--data` for a store, or `--url` with a token for a service."""

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from ...settings import TOKEN_VARIABLE
from ..output import CommandFailed, os_sentence
from ..stores.opening import inherited
from .place import Place
from .served import ServedPlace
from .stored import StoredPlace

_Command = Callable[..., Any]


def place_options(command: _Command) -> _Command:
    """Adds `--data`, `--url`, `--token-file` and `--ca-file`, and gives the command the parameter `place`.

    A group is not called if a subcommand is: its options count for the subcommand.
    """

    @click.option(
        "--data",
        "directory",
        type=click.Path(path_type=Path, file_okay=False),
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
        type=click.Path(path_type=Path),
        callback=inherited,
        help="The file with the API key or the token.",
    )
    @click.option(
        "--ca-file",
        type=click.Path(path_type=Path),
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


def _place(directory: Path | None, url: str | None, token_file: Path | None, ca_file: Path | None) -> Place:
    if url is None:
        if token_file or ca_file:
            raise click.UsageError("`--token-file` and `--ca-file` need `--url`")
        return StoredPlace(directory or Path("writ-data"))
    if directory is not None:
        raise click.UsageError("give `--data` or `--url`, not both")
    if not url.startswith(("http://", "https://")):
        raise click.UsageError("`--url` begins with http:// or https://")
    return ServedPlace(url, _token(token_file), None if ca_file is None else str(ca_file))


def _token(file: Path | None) -> str:
    try:
        token = os.environ.get(TOKEN_VARIABLE, "") if file is None else file.read_text()
    except (OSError, UnicodeDecodeError) as ex:
        raise CommandFailed(os_sentence(ex) if isinstance(ex, OSError) else f"{file}: it is not text") from None
    token = token.strip()
    if not token or not token.isascii() or not token.isprintable():
        where = f"set {TOKEN_VARIABLE} to an API key or a token" if file is None else f"{file} has no token"
        raise CommandFailed(f"the service needs a credential: {where}")
    return token
