"""`writ keys`: prints the keys that sign tokens, and rotates them."""

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
    """Print the keys that verify tokens: their ids, and their public halves as PEM. The first one signs.

    Exit code 2 if a file can't be read or written.

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
        raise CommandFailed(f"the service gets its keys from {SIGNING_KEY_VARIABLE}; set the variable here too")
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
@click.option("--distrust-old", is_flag=True, help="Remove all old keys, so that their tokens are refused at once.")
def rotate_command(directory: Path, distrust_old: bool) -> None:
    """Make a new key. A running service signs with it from now on.

    Writ keeps the public half of the old key, so that its tokens stay valid until they expire. If somebody else may
    have an old key, use --distrust-old: then every worker refuses the tokens of all old keys, and clients have to get
    new ones. Exit code 2 if a file can't be read or written.
    """
    settings = _settings()
    if settings.signing_key is not None or uses_given_keys(directory):
        what = "replace them with a new one" if distrust_old else "put a new one before them"
        raise CommandFailed(f"the service gets its keys from {SIGNING_KEY_VARIABLE}; {what} there")
    try:
        store = open_store(directory)
        rotate = partial(KeyFolder(directory).rotate, settings.signing_algorithm, distrust_old)
        id = store.credentials.rotate_keys(COMMAND_LINE, rotate, {"distrust_old": distrust_old})
    except StoreUnavailable as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    ended = "; the tokens of all other keys are refused" if distrust_old else ""
    error_console().print(f"The service now signs tokens with {id}{ended}", markup=False)


def _settings() -> Settings:
    try:
        return settings_from(os.environ)
    except BadSetting as ex:
        raise CommandFailed(str(ex)) from None
