"""`writ keys`: the keys that sign tokens, and a new one."""

import os
import time
from pathlib import Path

import click

from api.cli.output import Unreadable, error_console, os_sentence
from api.cli.stored import data_option, opened
from api.limits import BadSetting
from api.management.credential_shapes import LONGEST_LIFETIME
from api.startup import SIGNING_KEY_VARIABLE, Settings, settings_from
from api.store.refusals import StoreUnavailable
from api.tokens.key_sources import GivenKeys, KeyFolder
from api.tokens.signing_keys import UnusableSigningKey, read_key


@click.group("keys", invoke_without_command=True)
@data_option
@click.pass_context
def keys_command(context: click.Context, directory: Path) -> None:
    """Print the public halves of the keys that verify tokens as PEM; the one that signs is the first.

    Exit code 2 where something can't be read or written.

    \b
    Examples:
      writ keys --data /var/lib/writ
      writ keys rotate --data /var/lib/writ
    """
    if context.invoked_subcommand is not None:
        return
    given = _settings().signing_key
    source = KeyFolder(directory) if given is None else GivenKeys(given)
    try:
        for place, pem in source.pems():
            click.echo(read_key(pem, place).public_pem(), nl=False)
    except UnusableSigningKey as ex:
        raise Unreadable(str(ex)) from None


@keys_command.command("rotate")
@data_option
def rotate_command(directory: Path) -> None:
    """Make a new key, with which a service that runs signs from now on.

    Of the one before only the public half stays, so that its tokens are good until they expire. Exit code 2 where
    something can't be read or written.
    """
    settings = _settings()
    if settings.signing_key is not None:
        raise Unreadable(f"the keys are given by {SIGNING_KEY_VARIABLE}; put a new one before them there")
    try:
        store = opened(directory)
        id = KeyFolder(directory).rotate(settings.signing_algorithm, time.time(), LONGEST_LIFETIME)
        store.credentials.touch()
    except StoreUnavailable as ex:
        raise Unreadable(str(ex)) from None
    except OSError as ex:
        raise Unreadable(os_sentence(ex)) from None
    error_console().print(f"Tokens are signed with {id} now", markup=False)


def _settings() -> Settings:
    try:
        return settings_from(os.environ)
    except BadSetting as ex:
        raise Unreadable(str(ex)) from None
