"""`writ restore`: makes a data directory from a backup."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import click

from ....bundles.system_errors import os_sentence
from ....bundles.wording import quoted
from ...engines.live.data_directory import UnusableDirectory, hold, prepare_directory
from ...store.backups.backup import Restored, restore
from ...store.credentials.restored_credentials import RestoredCredential, UndoneChange
from ...store.errors import StoreUnavailable
from ..output import CommandFailed, error_console
from ..source_paths import FilePath
from .backup import refuse_undecodable
from .store_opening import data_option, refuse_server

AGAIN: Final = {UndoneChange.DELETED: "delete", UndoneChange.REVOKED: "revoke", UndoneChange.RENEWED: "secret"}
"""The command of `writ clients` that repeats the undone change."""


@click.command("restore")
@click.argument("file", type=FilePath(dir_okay=False, exists=True))
@data_option
def restore_command(file: Path, directory: Path) -> None:
    """Make FILE, a backup, the store of a data directory. Stop the service first. An existing store is kept aside.

    The epoch of every environment rises, so that clients can tell the new revisions from the old ones. Revoked tokens
    stay revoked. Clients and API keys that were deleted or revoked after the backup are valid again: Writ lists them.
    Exit code 2 if a file can't be read or written.

    \b
    Examples:
      writ restore writ-monday.db
      writ restore /backups/writ.db --data /var/lib/writ
    """
    refuse_undecodable(file)
    refuse_server("restore")
    try:
        prepare_directory(directory)
        with hold(directory):
            restored = restore(file, directory)
    except (StoreUnavailable, UnusableDirectory) as ex:
        raise CommandFailed(str(ex)) from None
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    _tell(file, directory, restored)


def _tell(file: Path, directory: Path, restored: Restored) -> None:
    lines = [f"{directory} is restored from {file}:", *lines_of(directory, restored)]
    lines.append(f"Next, run `writ serve --data {directory}`. It builds the bundles again.")
    error_console().print("\n".join(lines), markup=False)


def lines_of(directory: Path, restored: Restored) -> Iterator[str]:
    """Yields what a user must know of a restored store: its revisions and epochs, and what else changed by that."""
    for environment, time in restored.environments:
        state = f"revision {environment.revision} of {time}" if time else "no model yet"
        yield f"  {environment.id}: {state}; the epoch is now {environment.epoch}"
    if restored.kept is not None:
        yield f"The previous store is kept as {restored.kept}"
    yield from _warning(directory, restored.credentials)


def _warning(directory: Path, credentials: Sequence[RestoredCredential] | None) -> Iterator[str]:
    data = f"--data {shlex.quote(str(directory))}"
    if credentials is None:
        yield (
            "WARNING: there was no store to compare with. Credentials that were deleted or revoked after the backup are"
            f" valid again, revoked tokens too. Check `writ clients {data}` and `GET /v1/api-keys`."
        )
    elif credentials:
        yield "WARNING: these credentials were changed after the backup, and are valid again as they were then:"
        yield from (f"  {_line(one, data)}" for one in credentials)


def _line(one: RestoredCredential, data: str) -> str:
    """Returns a line on the change of a credential that the restore undid, with the command that repeats it."""
    if not one.is_client:
        path = f"/v1/api-keys/{one.id}"
        call = f"POST {path}/rotate" if one.undone is UndoneChange.RENEWED else f"DELETE {path}"
        return f"API key {one.id} {quoted(one.name)} had been {one.undone}; to repeat it: `{call}`"
    again = (
        f"writ clients {AGAIN[one.undone]} {one.id} {data}" if one.undone in AGAIN else f"PATCH /v1/clients/{one.id}"
    )
    return f"client {one.id} {quoted(one.name)} had been {one.undone}; to repeat it: `{again}`"
