"""`writ keys`: prints the keys that sign tokens or bundles, and rotates them."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from ....bundles.system_errors import os_sentence
from ...identity.keys.folder import KeyFolder
from ...identity.keys.signing_keys import UnusableSigningKey, read_keys
from ...store.actor import command_actor
from ...store.errors import StoreUnavailable
from ..output import CommandFailed, error_console
from ..stores.key_kinds import KINDS
from ..stores.store_opening import command_settings, data_option, inherited, open_store, refuse_without_store


def kind_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--kind`, the parameter `kind`. Before a subcommand it counts for the subcommand."""
    option = click.option(
        "--kind",
        type=click.Choice([*KINDS]),
        default="token",
        show_default=True,
        callback=inherited,
        help="What the keys sign.",
    )
    return option(command)


@click.group("keys", invoke_without_command=True)
@data_option
@kind_option
@click.pass_context
def keys_command(context: click.Context, directory: Path, kind: str) -> None:
    """Print the keys that verify tokens or bundles: their ids, and their public halves as PEM. The first one signs.

    Exit code 2 if a file can't be read or written.

    \b
    Examples:
      writ keys --data /var/lib/writ
      writ keys rotate --data /var/lib/writ
      writ keys rotate --distrust-old --data /var/lib/writ
      writ keys --kind bundle --data /var/lib/writ > public.pem
    """
    if context.invoked_subcommand is not None:
        return
    wanted = KINDS[kind]
    source = wanted.source(directory, wanted.given(directory, command_settings()))
    if isinstance(source, KeyFolder) and not source.path.exists():
        refuse_without_store(directory)
    try:
        keys, errors = read_keys(source.pems())
    except UnusableSigningKey as ex:
        raise CommandFailed(str(ex)) from None
    for key in keys.verifying.values():
        try:
            wanted.refuse(key)
        except UnusableSigningKey as ex:
            errors.append(ex)
            continue
        click.echo(f"{key.id} ({key.algorithm})")
        click.echo(key.public_pem(), nl=False)
    if errors:
        raise CommandFailed("\n".join(map(str, errors)))


@keys_command.command("rotate")
@data_option
@kind_option
@click.option("--distrust-old", is_flag=True, help="Remove all old keys, so that their tokens are refused at once.")
def rotate_command(directory: Path, kind: str, distrust_old: bool) -> None:
    """Make a new key. A running service signs with it from now on.

    Writ keeps the public half of the old key, so that its tokens stay valid until they expire. If somebody else may
    have an old key, use --distrust-old: then every worker refuses the tokens of all old keys, and clients have to get
    new ones.

    With --kind bundle, Writ prints the public halves of old keys for a year, the longest life of a signature. With
    --distrust-old, it prints only the new one. Programs that verify bundles trust the keys that you give them, so
    change these keys, too. Exit code 2 if a file can't be read or written.
    """
    wanted, settings = KINDS[kind], command_settings()
    if wanted.setting(settings) is not None or (directory / wanted.given_file).exists():
        what = "replace them with a new one" if distrust_old else "put a new one before them"
        raise CommandFailed(f"the service gets its keys from {wanted.variable}; {what} there")
    try:
        store = open_store(directory)
        rotate = partial(KeyFolder(directory, wanted.folder).rotate, wanted.algorithm(settings), distrust_old)
        id = store.credentials.rotate_keys(command_actor(), rotate, {"distrust_old": distrust_old}, wanted.event)
    except StoreUnavailable as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    ended = f"; {wanted.distrusted}" if distrust_old else ""
    error_console().print(f"The service now signs {wanted.signs} with {id}{ended}", markup=False)
