"""`writ takeover`: makes a copy of a store the one that counts, and publishes that."""

import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from ....bundles.system_errors import sentence_of
from ...engines.live.data_directory import UnusableDirectory, hold, prepare_directory
from ...engines.publishing.publisher import Published
from ...engines.publishing.publishing_target import shown
from ...identity.keys.folder import AUDIT_FOLDER, BUNDLE_FOLDER, FOLDER
from ...store.backups.backup import Restored, restore
from ...store.environment_ids import DEFAULT
from ...store.errors import NotFound
from ...store.leases.reaching import taken_over
from ..output import CommandFailed, error_console
from ..source_paths import FilePath
from .backup import refuse_undecodable
from .publishing import FAILURES, Publishing, published_epoch
from .restore import lines_of
from .store_opening import command_settings, data_option, open_store

_NAMED: Final = re.compile(r"([A-Za-z0-9._~-]{1,64})=(.+)", re.DOTALL)

_KEYS: Final = (FOLDER, BUNDLE_FOLDER, AUDIT_FOLDER)
"""The folders of keys in a data directory."""


@click.command("takeover")
@click.argument("file", type=FilePath(dir_okay=False, exists=True), required=False)
@data_option
@click.option(
    "--publish",
    "targets",
    metavar="[ENV=]TARGET",
    multiple=True,
    help="Publish an environment to TARGET, as `writ publish` does. ENV is `default` if it is not given. Repeatable.",
)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def takeover_command(file: Path | None, directory: Path, targets: tuple[str, ...], form: str) -> None:
    """Take over from another machine with FILE, the newest copy of its store. Its keys must be in the data directory.

    The epoch of every environment rises, also above the one that TARGET has. Agents and clients with a revision token
    refuse the other machine from then on, if it comes back. Writ says which revision was copied last: what came after
    it is lost. Exit code 2 if something can't be read or written; nothing has changed then, or the message says so.

    With WRIT_STORE, the copy is in that database, so there is no FILE. Stop all servers first: it is refused while one
    has a lease. It is for a database whose disk is an older copy: a restored dump takes over by itself.

    \b
    Examples:
      writ takeover writ-copy.db --data /var/lib/writ
      writ takeover writ-copy.db --publish /var/www/bundles --publish test=s3://policies/test
    """
    wanted = [_wanted(target) for target in targets]
    try:
        prepare_directory(directory)
        with hold(directory):
            _refuse_without_keys(directory, bool(wanted))
            known = [published_epoch(target, directory) for _, target in wanted]
            restored = _restored(file, directory, dict(found for found in known if found is not None))
            published = _published(directory, wanted)
    except (UnusableDirectory, *FAILURES) as ex:
        raise CommandFailed(sentence_of(ex)) from None
    if form == "json":
        click.echo(msgspec.json.encode(_as_json(restored, published)))
    else:
        _tell(file, directory, restored, published)


def _restored(file: Path | None, directory: Path, above: Mapping[str, int]) -> Restored:
    """Makes the copy the one that counts: FILE, or the database of WRIT_STORE. Raises CommandFailed, StoreUnavailable.

    Its epochs are above those of `above`, by the UUIDs of environments.
    """
    named = command_settings().store
    if named.url is None:
        if file is None:
            raise CommandFailed("there is no copy; name the FILE, or the database in WRIT_STORE")
        refuse_undecodable(file)
        return restore(file, directory, above=above)
    if file is not None:
        raise CommandFailed("WRIT_STORE names a database, and FILE is a copy of a directory; leave one of them out")
    return taken_over(named.url, directory, named.lease_seconds, above)


def _wanted(target: str) -> tuple[str, str]:
    """Returns the environment and the target of `--publish`."""
    found = _NAMED.fullmatch(target)
    return (DEFAULT, target) if found is None else (found[1], found[2])


def _refuse_without_keys(directory: Path, publishes: bool) -> None:
    """Raises CommandFailed if agents would refuse what is published. Warns if another kind of keys is missing."""
    settings = command_settings()
    given = dict(zip(_KEYS, (settings.signing_key, settings.bundle_key, settings.audit_key), strict=True))
    missing = [name for name in _KEYS if given[name] is None and not (directory / name).exists()]
    names = ", ".join(f"`{name}`" for name in missing)
    remedy = f"copy {names} of the other machine to `{directory}`"
    if publishes and BUNDLE_FOLDER in missing:
        raise CommandFailed(
            f"agents would refuse the bundles, since the key that signs them is missing; first {remedy}"
        )
    if missing:
        error_console().print(f"WARNING: keys are missing; {remedy} before you start the service", markup=False)


def _published(directory: Path, wanted: Sequence[tuple[str, str]]) -> list[tuple[str, str, Published]]:
    """Publishes each environment. Returns its id, its target without credentials, and what was published.

    Raises CommandFailed, which says that the store was taken over, and StoreUnavailable.
    """
    done: list[tuple[str, str, Published]] = []
    if not wanted:
        return done
    with closing(open_store(directory)) as store:
        for environment, target in wanted:
            place = shown(target)
            try:
                done.append((environment, place, Publishing(target, directory, store, environment).publish()))
            except (NotFound, *FAILURES) as ex:
                again = f"writ publish {shlex.quote(place)} --env {environment} --data {shlex.quote(str(directory))}"
                reason = sentence_of(ex)
                raise CommandFailed(
                    f"the store is taken over, but not published: {reason}; try `{again}` again"
                ) from None
    return done


def _as_json(restored: Restored, published: Sequence[tuple[str, str, Published]]) -> dict[str, Any]:
    return {
        "environments": [
            {"id": one.id, "uuid": one.uuid, "epoch": one.epoch, "revision": one.revision, "time": time}
            for one, time in restored.environments
        ],
        "kept": None if restored.kept is None else str(restored.kept),
        "published": [
            {"environment": environment, "target": target, "epoch": one.index.epoch, "revision": one.index.revision}
            for environment, target, one in published
        ],
    }


def _tell(
    file: Path | None, directory: Path, restored: Restored, published: Sequence[tuple[str, str, Published]]
) -> None:
    taken = "The database has taken over" if file is None else f"{directory} has taken over from the copy {file}"
    lines = [f"{taken}. What came after these revisions is lost:"]
    lines += lines_of(directory, restored)
    lines += [f"{environment} is published to {target}" for environment, target, _ in published]
    if file is None:
        lines.append("Next, start the servers.")
    else:
        serve = f"`writ serve --data {directory}`"
        lines.append(f"Next, run {serve}, and see that the other machine does not serve any more.")
    error_console().print("\n".join(lines), markup=False)
