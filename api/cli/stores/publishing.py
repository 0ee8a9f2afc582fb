"""Publishes an environment of a store in a data directory, for the commands that do."""

import logging
import time
from pathlib import Path
from typing import Final

from ....bundles.conditions.instants import show_seconds
from ....bundles.feed.update import CONTENT_TYPE as UPDATE
from ....bundles.signing.pem_keys import SigningKey
from ....bundles.signing.sign import DAY
from ...engines.exports.callers_list import CallersLists
from ...engines.exports.export_counts import Exports
from ...engines.exports.make import ExportMaker
from ...engines.publishing.content import ContentMaker
from ...engines.publishing.publisher import Published, Publisher, read_published
from ...engines.publishing.publishing_target import PublishingTarget, TargetFailed, shown
from ...identity.keys.bundle_keys import bundle_signing_key
from ...identity.keys.ring import KeyRing
from ...identity.keys.signing_keys import UnusableSigningKey, read_keys
from ...store.actor import command_actor
from ...store.audit.entries import AuditEntry
from ...store.audit.events import Event
from ...store.duties.duty import Duty, DutyAlone
from ...store.duties.taking import duty_on
from ...store.errors import StoreUnavailable
from ...store.store import Store
from ...telemetry.log import LOG
from ..output import CommandFailed, error_console
from .key_kinds import KINDS
from .store_opening import command_settings

FAILURES: Final = (StoreUnavailable, TargetFailed, UnusableSigningKey, OSError)
"""The errors of a publication. Each message is one sentence, but for an OSError's."""


_NO_CALLERS: Final = (
    "no key of access tokens can be read; set WRIT_SIGNING_KEY to the public halves of the service's keys, or unset"
    " WRIT_PUBLIC_URL to publish no list of callers"
)


def published_epoch(target: str, directory: Path) -> tuple[str, int] | None:
    """Returns the UUID and the epoch of the environment that is published to a target, or None if there is none.

    The keys are those of a data directory, which may have no store yet. Raises TargetFailed, UnusableSigningKey.
    """
    place, kind = PublishingTarget(target), KINDS["bundle"]
    keys, _ = read_keys(kind.source(directory, kind.given(directory, command_settings())).pems())
    found = place.read_index()
    if found is None:
        return None
    index, _ = read_published(place, found, [key.public_pem() for key in keys.verifying.values()])
    return index.environment.uuid, index.epoch


def publishing_duty(target: str, directory: Path) -> Duty:
    """Returns the duty to publish to a target, for one of the machines that have the store.

    Two machines mean the same target if its text is the same, or the path of its folder. Raises StoreUnavailable.
    """
    named = command_settings().store
    if named.url is None:
        return DutyAlone()
    place = shown(target) if "://" in target else str(Path(target).resolve())
    return duty_on(named.url, f"publish {place}", directory, named.lease_seconds)


class Publishing:
    """Publishes one environment of the `store` in a data directory to one target, and records that in the audit log."""

    def __init__(self, target: str, directory: Path, store: Store, environment: str, duty: Duty | None = None) -> None:
        """`duty` is the one to publish to the target, if other machines have the store.

        Raises TargetFailed, UnusableSigningKey, CommandFailed.
        """
        self._store, self._environment, self._settings = store, environment, command_settings()
        bundle_keys, token_keys = (
            kind.source(directory, kind.given(directory, self._settings)) for kind in (KINDS["bundle"], KINDS["token"])
        )
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
            directory, self._store, PublishingTarget(target), content, self._both_keys, time.time, duty or DutyAlone()
        )

    def publish(self, at_once: bool = True) -> Published:
        """Publishes once, and records it if it is new. Raises NotFound, and each of `FAILURES`."""
        done = self._publisher.publish(self._environment, at_once)
        if done.is_new:
            self._record(done)
        return done

    def _lists(self) -> CallersLists | None:
        if self._settings.public_url is None:
            error_console().print(
                "No list of callers is published, so agents that follow the folder admit no access tokens. To publish"
                " one, set WRIT_PUBLIC_URL as for the service.",
                markup=False,
            )
            return None
        if not self._ring.keys().verifying:
            raise CommandFailed(_NO_CALLERS)
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
            entry = self._exports.counted(command_actor(), env, UPDATE, now) if names else None
            self._store.audit.count_exports(self._exports.take())
        else:
            details = {"target": self._publisher.target.shown, "revision": done.index.revision, "files": names}
            entry = AuditEntry.of(now, command_actor(), Event.BUNDLE_PUBLISHED, details, environment=env)
        if entry is not None:
            self._store.audit.add([entry])
