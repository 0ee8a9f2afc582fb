"""`writ publish`: puts signed bundles and updates of an environment to a folder or an object store."""

import logging
import signal
import threading
import time
from pathlib import Path
from typing import Final

import click
import msgspec

from ....bundles.conditions.instants import show_seconds
from ....bundles.feed.update import CONTENT_TYPE as UPDATE
from ....bundles.signing.pem_keys import SigningKey
from ....bundles.signing.sign import DAY
from ...engines.exports.callers_list import CallersLists
from ...engines.exports.export_counts import Exports
from ...engines.exports.make import ExportMaker
from ...engines.publishing.content import ContentMaker
from ...engines.publishing.publisher import Published, Publisher
from ...engines.publishing.publishing_target import PublishingTarget, TargetFailed
from ...identity.keys.bundle_keys import bundle_signing_key
from ...identity.keys.ring import KeyRing
from ...identity.keys.signing_keys import UnusableSigningKey, read_keys
from ...store.actor import COMMAND_LINE
from ...store.audit.entries import AuditEntry
from ...store.audit.events import Event
from ...store.errors import NotFound, StoreUnavailable
from ...telemetry.log import LOG
from ..output import CommandFailed, error_console, os_sentence
from .key_kinds import KINDS
from .store_opening import command_settings, data_option, env_option, open_store

LOOK_SECONDS: Final = 0.2
"""The seconds between two looks of `--follow` for a commit."""

RETRY_SECONDS: Final = 5.0
"""Time after which `--follow` tries again what failed."""

_FAILURES: Final = (StoreUnavailable, TargetFailed, UnusableSigningKey, OSError)


@click.command("publish")
@click.argument("target")
@data_option
@env_option
@click.option("--follow", is_flag=True, help="Go on: publish each change as it is committed, until interrupted.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def publish_command(target: str, directory: Path, environment: str, follow: bool, form: str) -> None:
    """Publish an environment's signed bundle to TARGET, a folder or a URL such as s3://bucket/folder.

    Agents and applications can follow the folder instead of the service. Its files never change, but for one small
    index. A service may run meanwhile. With object stores, credentials come from the environment, as their own tools
    take them; install `writ-pdp[s3]` or `writ-pdp[gs]` first. Exit code 2 if something can't be read or written.

    \b
    Examples:
      writ publish /var/www/bundles
      writ publish s3://policies/prod --env prod --follow
    """
    try:
        stop = _stop_signal() if follow else None
        publishing = _Publishing(target, directory, environment, form)
        publishing.publish()
        if stop is not None:
            error_console().print("Following changes. Ctrl-C or SIGTERM stops it.", markup=False)
            publishing.follow(stop)
    except (NotFound, *_FAILURES) as ex:
        raise CommandFailed(os_sentence(ex) if isinstance(ex, OSError) else str(ex)) from None


class _Publishing:
    """One run of the command."""

    def __init__(self, target: str, directory: Path, environment: str, form: str) -> None:
        self._environment, self._form, self._settings = environment, form, command_settings()
        bundle_keys, token_keys = (
            kind.source(directory, kind.given(directory, self._settings)) for kind in (KINDS["bundle"], KINDS["token"])
        )
        self._store = open_store(directory)
        self._exports, self._keys = Exports(time.time), bundle_keys
        silent = logging.getLogger(f"{LOG}.publish")
        silent.disabled = True  # without keys of tokens, nothing but the list of callers is missing
        self._ring = KeyRing(token_keys, silent)
        content = ContentMaker(
            self._store,
            ExportMaker(directory, self._store, time.time),
            self._lists(),
            self._settings.bundle_days * DAY,
            time.time,
        )
        self._publisher = Publisher(
            directory, self._store, PublishingTarget(target), content, self._both_keys, time.time
        )

    def publish(self, at_once: bool = True) -> None:
        """Publish once, record it, and say what was done."""
        done = self._publisher.publish(self._environment, at_once)
        if done.is_new:
            self._record(done)
            self._tell(done)

    def follow(self, stop: threading.Event) -> None:
        """Publish each change, until `stop` is set."""
        seen: object = None
        due = 0.0
        while not stop.wait(LOOK_SECONDS):
            try:
                version = self._store.watch.version()
                if version != seen or time.monotonic() >= due:
                    due = time.monotonic() + RETRY_SECONDS
                    self.publish(at_once=False)
                    seen = version
            except _FAILURES as ex:
                error_console().print(f"{ex}; trying again in {RETRY_SECONDS:g} seconds", markup=False)
                stop.wait(RETRY_SECONDS)

    def _lists(self) -> CallersLists | None:
        if self._settings.public_url is None:
            error_console().print(
                "No list of callers is published, so agents that follow the folder admit no access tokens. To publish"
                " one, set WRIT_PUBLIC_URL as for the service.",
                markup=False,
            )
            return None
        if not self._ring.keys().verifying:
            raise CommandFailed("no key that signs access tokens can be read; see `writ keys`")
        return CallersLists(self._ring, self._settings.public_url)

    def _both_keys(self) -> tuple[SigningKey, list[bytes]]:
        key = bundle_signing_key(self._keys, self._ring.keys())
        found, _ = read_keys(self._keys.pems())
        return key, [one.public_pem() for one in found.verifying.values()]

    def _record(self, done: Published) -> None:
        """Records bundles and callers one by one, and mere updates by the hour."""
        env, now = self._store.environment(self._environment), show_seconds(time.time())
        names = [file.name for file in done.put]
        if all(name.endswith(".update") for name in names):
            entry = self._exports.counted(COMMAND_LINE, env, UPDATE, now) if names else None
            self._store.audit.count_exports(self._exports.take())
        else:
            details = {"target": self._publisher.target.shown, "revision": done.index.revision, "files": names}
            entry = AuditEntry.of(now, COMMAND_LINE, Event.BUNDLE_PUBLISHED, details, environment=env)
        if entry is not None:
            self._store.audit.add([entry])

    def _tell(self, done: Published) -> None:
        names = [file.name for file in done.put]
        if self._form == "json":
            told = {"revision": done.index.revision, "epoch": done.index.epoch, "files": names}
            click.echo(msgspec.json.encode(told))
        elif names:
            size = sum(file.size for file in done.put)
            click.echo(f"revision {done.index.revision}: {len(names)} files, {size:,} bytes")
        else:
            click.echo(f"revision {done.index.revision}: nothing new")


def _stop_signal() -> threading.Event:
    """Returns an event that TERM and INT set: what is being published is then finished first."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop
