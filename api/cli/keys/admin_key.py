"""`writ admin-key`: shows which keys of the administrator count, and rotates the one of a data directory."""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from ....bundles.system_errors import os_sentence
from ...identity.admin_access import details_of
from ...identity.admin_key import (
    DIGEST_FILE,
    FILE_VARIABLE,
    MOST_KEYS,
    VARIABLE,
    AdminKey,
    UnusableKey,
    forget_key,
    lines_of,
    new_key,
    stored_keys,
)
from ...identity.credential_shapes import LONGEST_OVERLAP
from ...identity.keys.key_files import write_file
from ...identity.keys.sources import ADMIN_KEY_GIVEN
from ...store.actor import command_actor
from ...store.errors import StoreUnavailable
from ..output import CommandFailed, error_console
from ..stores.store_opening import command_settings, data_option, open_store, refuse_without_store


@click.group("admin-key", invoke_without_command=True)
@data_option
@click.pass_context
def admin_key_command(context: click.Context, directory: Path) -> None:
    """Print which keys of the administrator count, the newest first: the start of its SHA-256, and its end.

    Logs name an older key by this start. Exit code 2 if a file can't be read or written.

    \b
    Examples:
      writ admin-key --data /var/lib/writ
      writ admin-key rotate --overlap 86400 --data /var/lib/writ > admin-key
      writ admin-key end-old --data /var/lib/writ
    """
    if context.invoked_subcommand is None:
        for key in _stored(directory):
            click.echo(f"{key.fingerprint} {'until ' + key.until if key.until else 'without an end'}")


@admin_key_command.command("rotate")
@data_option
@click.option(
    "--overlap",
    type=click.IntRange(0, LONGEST_OVERLAP),
    default=0,
    show_default=True,
    help="The seconds for which the old key works too.",
)
def rotate_command(directory: Path, overlap: int) -> None:
    """Make a new key and print it. A running service takes it at once, and it is never shown again.

    The old key ends with the overlap, and older ones when they would have. Without an overlap, all of them end at once.
    """
    _refuse_supplied(directory)
    key, digest = new_key()
    now, before = time.time(), _stored(directory)
    ends = int(now) + overlap
    kept = [AdminKey(one.digest, min(one.ends, ends)) for one in before if now < one.ends] if overlap else []
    if len(kept) >= MOST_KEYS:
        raise CommandFailed(f"{len(kept)} keys still work; end the old ones first, with `writ admin-key end-old`")
    _replace(directory, [AdminKey(digest), *kept], before)
    click.echo(key)


@admin_key_command.command("end-old")
@data_option
def end_old_command(directory: Path) -> None:
    """End the overlap: from now on, only the newest key counts."""
    _refuse_supplied(directory)
    before = _stored(directory)
    _replace(directory, before[:1], before)
    error_console().print(f"Only the key {before[0].fingerprint} counts now", markup=False)


def _stored(directory: Path) -> Sequence[AdminKey]:
    """Returns the keys of a data directory, the newest first. Raises CommandFailed if it has none."""
    refuse_without_store(directory)
    try:
        keys = stored_keys(directory)
    except UnusableKey as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    if keys is None:
        raise CommandFailed(f"`{directory}` has no administrator's key yet; start the service, which makes one")
    return keys


def _refuse_supplied(directory: Path) -> None:
    """Raises CommandFailed if a setting supplies the keys: the service would not take one that is made here."""
    settings = command_settings()
    if settings.admin_key is None and settings.admin_key_file is None and not (directory / ADMIN_KEY_GIVEN).exists():
        return
    raise CommandFailed(
        f"the service gets its administrator's key from `{VARIABLE}` or `{FILE_VARIABLE}`; with the file, write the new"
        " key above the old one there"
    )


def _replace(directory: Path, keys: Sequence[AdminKey], before: Sequence[AdminKey]) -> None:
    """Store other keys, in the transaction that records them. Its commit tells all workers to look again."""
    path = directory / DIGEST_FILE
    try:
        store = open_store(directory)
        try:
            change = partial(write_file, path, lines_of(keys))
            store.credentials.change_admin_keys(command_actor(), change, details_of(keys))
        except StoreUnavailable:
            write_file(path, lines_of(before))
            raise
        if len(keys) == 1:
            forget_key(directory)
    except StoreUnavailable as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
