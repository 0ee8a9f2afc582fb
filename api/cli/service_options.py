"""The options that choose a running service, and the credential for it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ...bundles.system_errors import os_sentence
from ...client.calling.credentials import ClientCredentials
from ...client.service_calls import ServiceCalls
from ..settings.settings import CLIENT_VARIABLES, TOKEN_VARIABLE
from .output import CommandFailed
from .remote_service import RemoteService, service_calls
from .source_paths import FilePath


def service_options(required: bool) -> Callable[[Any], Any]:
    """Returns what adds `--url`, `--token-file` and `--ca-file` to a command. `required` is whether it needs a URL."""

    def with_options(command: Any) -> Any:
        for option in (
            click.option(
                "--ca-file",
                type=FilePath(),
                help="The authorities for the service's certificate (PEM).",
            ),
            click.option(
                "--token-file",
                type=FilePath(),
                help="The file with the API key or the token.",
            ),
            click.option(
                "--url", required=required, help="A running service. Set WRIT_TOKEN to an API key or a token."
            ),
        ):
            command = option(command)
        return command

    return with_options


def service_at(url: str, token_file: Path | None, ca_file: Path | None) -> RemoteService:
    """Returns the service of these options. Raises UsageError for another kind of URL, CommandFailed."""
    check_url(url)
    service = RemoteService(url, credential(token_file), None if ca_file is None else str(ca_file))
    click.get_current_context().call_on_close(service.close)
    return service


def calls_at(url: str, token_file: Path | None, ca_file: Path | None, environment: str) -> ServiceCalls:
    """Returns the calls of a client to the service of these options. Raises as `service_at`."""
    check_url(url)
    calls = service_calls(url, credential(token_file), None if ca_file is None else str(ca_file), environment)
    click.get_current_context().call_on_close(calls.close)
    return calls


def check_url(url: str) -> None:
    """Raises UsageError for another kind of URL."""
    if not url.startswith(("http://", "https://")):
        raise click.UsageError("`--url` begins with http:// or https://")


def refuse_without_url(url: str | None, token_file: Path | None, ca_file: Path | None) -> None:
    """Raises UsageError if there is a file for a service, but no service."""
    if url is None and (token_file or ca_file):
        raise click.UsageError("`--token-file` and `--ca-file` need `--url`")


def credential(file: Path | None) -> str | ClientCredentials:
    """Returns the token in a file or in its variable, or else the client that two variables name.

    Raises CommandFailed if there is none.
    """
    try:
        token = os.environ.get(TOKEN_VARIABLE, "") if file is None else file.read_text()
    except (OSError, UnicodeDecodeError) as ex:
        raise CommandFailed(os_sentence(ex) if isinstance(ex, OSError) else f"{file}: it is not text") from None
    token = token.strip()
    client_id, secret = (os.environ.get(name, "").strip() for name in CLIENT_VARIABLES)
    if not token and file is None and client_id and secret:
        return ClientCredentials(client_id, secret)
    if not token or not token.isascii() or not token.isprintable():
        where = f"set {TOKEN_VARIABLE} to an API key or a token" if file is None else f"{file} has no token"
        raise CommandFailed(f"the service needs a credential: {where}")
    return token
