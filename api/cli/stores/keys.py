"""`writ keys`: the keys that sign tokens, and a new one."""

import os
from functools import partial
from pathlib import Path

import click

from ...credentials.keys.folder import KeyFolder
from ...credentials.keys.signing_keys import UnusableSigningKey, read_keys
from ...credentials.keys.sources import SIGNING_KEY_VARIABLE, signing_keys_at, uses_given_keys
from ...settings import BadSetting, Settings, settings_from
from ...store.actor import COMMAND_LINE
from ...store.errors import StoreUnavailable
from ..output import CommandFailed, error_console, os_sentence
from .opening import data_option, open_store, refuse_without_store


@click.group("keys", invoke_without_command=True)
@data_option
@click.pass_context
def keys_command(context: click.Context, directory: Path) -> None:
    """Print the keys that verify tokens, ids and public halves as PEM; the one that signs is the first.

    Exit code 2 where something can't be read or written.

    \b
    Examples:
      writ keys --data /var/lib/writ
      writ keys rotate --data /var/lib/writ
      writ keys rotate --distrust-old --data /var/lib/writ
    """
    if context.invoked_subcommand is not None:
        return
    given = _settings().signing_key
    if given is None and uses_given_keys(directory):
        raise CommandFailed(f"the keys of the service are given by {SIGNING_KEY_VARIABLE}; set it here too")
    source = signing_keys_at(directory, given)
    if isinstance(source, KeyFolder) and not source.path.exists():
        refuse_without_store(directory)
    try:
        keys, errors = read_keys(source.pems())
    except UnusableSigningKey as ex:
        raise CommandFailed(str(ex)) from None
    for key in keys.verifying.values():
        click.echo(f"{key.id} ({key.algorithm})")
        click.echo(key.public_pem(), nl=False)
    if errors:
        raise CommandFailed("\n".join(map(str, errors)))


@keys_command.command("rotate")
@data_option
@click.option("--distrust-old", is_flag=True, help="Remove every key before it, so that their tokens end at once.")
def rotate_command(directory: Path, distrust_old: bool) -> None:
    """Make a new key, with which a service that runs signs from now on.

    Of the one before only the public half stays, so that its tokens are good until they expire. If somebody else may
    have a key, take --distrust-old: no worker takes any token of it any more, and clients get new ones. Exit code 2
    where something can't be read or written.
    """
    settings = _settings()
    if settings.signing_key is not None or uses_given_keys(directory):
        place = "in their place" if distrust_old else "before them"
        raise CommandFailed(f"the keys of the service are given by {SIGNING_KEY_VARIABLE}; put a new one {place} there")
    try:
        store = open_store(directory)
        rotate = partial(KeyFolder(directory).rotate, settings.signing_algorithm, distrust_old)
        id = store.credentials.rotate_keys(COMMAND_LINE, rotate, {"distrust_old": distrust_old})
    except StoreUnavailable as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    ended = "; those of every other key have ended" if distrust_old else ""
    error_console().print(f"Tokens are signed with {id} now{ended}", markup=False)


def _settings() -> Settings:
    try:
        return settings_from(os.environ)
    except BadSetting as ex:
        raise CommandFailed(str(ex)) from None
