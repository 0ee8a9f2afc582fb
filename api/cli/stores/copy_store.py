"""`writ copy-store`: moves a store to another place, from a file to PostgreSQL or back, without loss."""

import shlex
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Final

import click
import msgspec

from ....bundles.system_errors import sentence_of
from ...engines.live.data_directory import UnusableDirectory, hold, prepare_directory
from ...store.copying.places import Place, place_named
from ...store.copying.store_copy import CopiedStore, copy_store
from ...store.elements.kinds import KINDS
from ...store.errors import StoreUnavailable
from ..output import CommandFailed, error_console, progress_bar
from .backup import refuse_undecodable

_COUNTED: Final = {str(kind): kind.replace("_", " ") for kind in KINDS} | {
    "changes": "revisions",
    "promotions": "promotions",
    "policy_tests": "sets of policy tests",
    "clients": "clients",
    "api_keys": "API keys",
    "revoked_tokens": "revoked tokens",
    "audit": "audit entries",
}
"""The words for the rows of a table. Other tables have parts of these."""

_FILES: Final = (
    "`keys/`, `bundle-keys/`, `audit-keys/`, `audit-head`, `admin-key.sha256`, `page-tokens.key`, `decision-log.key`"
)
"""The files of a data directory that belong to its store."""


@click.command("copy-store")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def copy_store_command(source: str, target: str, form: str) -> None:
    """Copy the store FROM to TO, which has none. Each is a data directory, or a URL that begins with `postgresql://`.

    The copy has everything of the store: models and their history, promotions, clients, API keys, revoked tokens and
    the audit log. The numbers of revisions and of audit entries go on. Keys are files of the data directory, and stay.

    Stop every service on FROM first, and never let one write to FROM again: the epochs stay the same, so clients could
    not tell the revisions of the two stores apart. Exit code 2 if something can't be read or written: TO has no store
    then.

    \b
    Examples:
      writ copy-store /var/lib/writ 'postgresql://writ@db.example/writ?sslmode=verify-full'
      writ copy-store 'postgresql://writ@db.example/writ?sslmode=verify-full' writ-data
    """
    try:
        places = place_named(source), place_named(target)
        copied = _copied(*places)
    except (StoreUnavailable, UnusableDirectory, OSError) as ex:
        raise CommandFailed(sentence_of(ex)) from None
    if form == "json":
        click.echo(msgspec.json.encode(_as_json(*places, copied)))
    else:
        error_console().print("\n".join(_lines(*places, copied)), markup=False)


def _copied(source: Place, target: Place) -> CopiedStore:
    source.require_store()
    target.refuse_store()
    with ExitStack() as locks, progress_bar() as progress:
        if source.directory is not None:
            locks.enter_context(hold(source.directory))
        if target.directory is not None:
            refuse_undecodable(target.directory)
            prepare_directory(target.directory)
            locks.enter_context(hold(target.directory))
        return copy_store(source, target, progress)


def _as_json(source: Place, target: Place, copied: CopiedStore) -> dict[str, Any]:
    return {
        "from": source.shown,
        "to": target.shown,
        "environments": [
            {"id": one.id, "uuid": one.uuid, "epoch": one.epoch, "revision": one.revision}
            for one in copied.environments
        ],
        "rows": copied.rows,
    }


def _lines(source: Place, target: Place, copied: CopiedStore) -> Iterator[str]:
    """Yields what was copied, and what the operator must do."""
    yield f"{source.shown} is copied to {target.shown}:"
    for one in copied.environments:
        yield f"  {one.id}: revision {one.revision}, epoch {one.epoch}"
    counts = [f"{words} {copied.rows[name]:,}" for name, words in _COUNTED.items() if copied.rows[name]]
    yield f"  {', '.join(counts)}"
    yield f"Never let a service write to {source.shown} again: both stores have the same epochs."
    if target.directory is None:
        data = shlex.quote(str(source.directory or "DIRECTORY"))
        yield f"Next, run `writ serve --data {data} --store {target.shown}`. The keys stay in that directory."
    else:
        yield f"Next, copy {_FILES} of the old data directory to {target.shown}, as far as they are there."
        yield f"Then run `writ serve --data {shlex.quote(target.shown)}`. It builds the bundles."
