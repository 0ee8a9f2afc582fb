"""`writ clients`: lists and manages the OAuth clients of a store."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import msgspec
from msgspec.structs import asdict

from ...endpoints.management.body_shapes import shaped
from ...endpoints.management.credentials.clients import shown_client
from ...http.bodies import ENCODER
from ...http.rejections import BodyRejected
from ...identity.credential_shapes import (
    DEFAULT_LIFETIME,
    LONGEST_LIFETIME,
    LONGEST_OVERLAP,
    SCOPES,
    ClientAnswer,
    ClientWithSecret,
    NewClient,
    in_order,
)
from ...identity.secret_format import CLIENT_SECRET, new_secret
from ...store.actor import command_actor
from ...store.credential_rows import Client
from ...store.credentials.credentials import ClientSpec
from ...store.credentials.old_secrets import Overlap
from ...store.errors import Refusal, StoreUnavailable
from ...store.pages import MAX_PAGE
from ...store.store import Store
from ..output import CommandFailed, error_console, escaped
from .store_opening import all_items, data_option, open_store


@click.group("clients", invoke_without_command=True)
@data_option
@click.pass_context
def clients_command(context: click.Context, directory: Path) -> None:
    """Print the OAuth clients as JSON lines, or manage them with a subcommand. A service may run meanwhile.

    Exit code 2 if the client does not exist, or a file can't be read or written.

    \b
    Examples:
      writ clients --data /var/lib/writ
      writ clients create importer --scope write --env staging
      writ clients revoke 8c1f0f43-8fd1-4b8e-9c3e-8a9e9f0a2b11
    """
    if context.invoked_subcommand is not None:
        return
    with _store(directory) as store:
        for client in all_items(lambda cursor: store.credentials.clients(None, MAX_PAGE, cursor)):
            _show(shown_client(client))


@clients_command.command("create")
@click.argument("name")
@data_option
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    required=True,
    help="A scope of the client. Repeatable.",
)
@click.option("--env", "environments", multiple=True, help="Bind the client to this environment. Repeatable.")
@click.option("--description", help="The purpose of the client.")
@click.option(
    "--lifetime",
    type=click.IntRange(1, LONGEST_LIFETIME),
    default=DEFAULT_LIFETIME,
    show_default=True,
    help="The lifetime of its tokens, in seconds.",
)
def create_command(
    name: str,
    directory: Path,
    scopes: tuple[str, ...],
    environments: tuple[str, ...],
    description: str | None,
    lifetime: int,
) -> None:
    """Make a client. Prints it as JSON with its secret, which is never shown again."""
    wanted = ClientSpec(name, in_order(scopes), lifetime, description, environments or None)
    try:
        shaped(msgspec.to_builtins(wanted), NewClient, "bad-client")
    except BodyRejected as ex:
        raise CommandFailed(str(ex)) from None
    secret, digest = new_secret(CLIENT_SECRET)
    with _store(directory) as store:
        _show_secret(store.credentials.add_client(command_actor(), wanted, digest), secret)


@clients_command.command("secret")
@click.argument("client_id")
@data_option
@click.option(
    "--overlap",
    type=click.IntRange(0, LONGEST_OVERLAP),
    default=0,
    show_default=True,
    help="The seconds for which the old secret works too.",
)
def secret_command(client_id: str, directory: Path, overlap: int) -> None:
    """Give a client a new secret, and print it. The old secret ends with the overlap. Its tokens stay valid."""
    secret, digest = new_secret(CLIENT_SECRET)
    wanted = Overlap(overlap, time.time())
    with _store(directory) as store:
        _show_secret(store.credentials.renew_secret(command_actor(), client_id, digest, wanted), secret)


@clients_command.command("revoke")
@click.argument("client_id")
@data_option
def revoke_command(client_id: str, directory: Path) -> None:
    """Revoke a client: its secret and its tokens are refused from now on. The client stays on the list."""
    with _store(directory) as store:
        store.credentials.revoke_client(command_actor(), client_id)
    error_console().print(f"{client_id} is revoked", markup=False)


@clients_command.command("delete")
@click.argument("client_id")
@data_option
def delete_command(client_id: str, directory: Path) -> None:
    """Delete a client. Its tokens are refused from now on."""
    with _store(directory) as store:
        store.credentials.delete_client(command_actor(), client_id)
    error_console().print(f"{client_id} is deleted", markup=False)


@contextmanager
def _store(directory: Path) -> Iterator[Store]:
    try:
        yield open_store(directory)
    except (Refusal, StoreUnavailable) as ex:
        raise CommandFailed(str(ex)) from None


def _show_secret(client: Client, secret: str) -> None:
    _show(ClientWithSecret(**asdict(shown_client(client)), client_secret=secret))


def _show(client: ClientAnswer) -> None:
    click.echo(escaped(ENCODER.encode(client).decode()))
