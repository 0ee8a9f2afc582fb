"""Publishes: puts the files first, then the index that names them, and then removes the files that no reader needs any
more.
"""

import fcntl
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ....bundles.errors import BundleError
from ....bundles.feed.index import INDEX, INDEX_FILE, Index, PublishedFile, sign_index, verified_index
from ....bundles.signing.pem_keys import SigningKey
from ...store.duties.duty import Duty, DutyAlone
from ...store.store import Store
from ..live.data_directory import open_lock
from .content import GRACE_SECONDS, Content, ContentMaker
from .publishing_target import PublishingTarget, TargetFailed

HEARTBEAT_SECONDS: Final = 60
"""Age at which an unchanged index gets a new signature: its time tells agents how fresh they are."""

TIDY_SECONDS: Final = 3_600
"""Time between two searches for files that a killed publisher left behind."""

MOST_ATTEMPTS: Final = 5
"""The number of times that a publisher begins again because another one wrote the index meanwhile."""

_LOCK: Final = "publish.lock"
_OURS: Final = re.compile(r"[0-9]+-[0-9a-z-]+-[0-9a-f]{16}\.(bundle|update|callers)|\.[0-9a-f]{16}\.unfinished")
"""The names of our files, also of one that a killed publisher has written in part (see `bundles.publish`)."""


class ForeignTarget(TargetFailed):
    """The files in the target belong to another environment, or are newer than the store."""


class Superseded(ForeignTarget):
    """The target has a later epoch than the store: another store was taken over or restored, and is in force."""


@dataclass(frozen=True, slots=True)
class Published:
    """The result: the index in force, and the files that were put for it."""

    index: Index
    put: tuple[PublishedFile, ...]
    is_new: bool


@dataclass(slots=True)
class Publisher:
    """Publishes one environment to one target. Two publishers of a data directory take turns.

    If other machines have the store, `duty` says which of them publishes to the target. It guards the steps that must
    not go on once another one publishes: to put the index, which a slow publisher would put back, and to remove files,
    which the index of another one may name. Other files may be put at any time: their names have their digests.

    `keys` returns the key that signs, and the PEMs of all public keys. `clock` gives epoch seconds.
    """

    directory: Path
    store: Store
    target: PublishingTarget
    content: ContentMaker
    keys: Callable[[], tuple[SigningKey, list[bytes]]]
    clock: Callable[[], float]
    duty: Duty = field(default_factory=DutyAlone)
    _tidied: float = float("-inf")

    def publish(self, environment: str, at_once: bool = True) -> Published:
        """Publishes the newest revision. Unless `at_once`, a young index of that revision stays.

        Raises Superseded, ForeignTarget, TargetFailed, NotHeld, NotFound, StoreUnavailable, UnusableSigningKey,
        OSError.
        """
        with open_lock(self.directory / _LOCK) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for _ in range(MOST_ATTEMPTS):
                done = self._publish(environment, at_once)
                if done is not None:
                    return done
        raise TargetFailed(f"`{self.target.shown}` is written by another publisher all the time")

    def _publish(self, environment: str, at_once: bool) -> Published | None:
        """Returns None if another publisher wrote the index meanwhile."""
        key, pems = self.keys()
        found = self.target.read_index()
        before, signer = (None, None) if found is None else read_published(self.target, found, pems)
        self._refuse_foreign(environment, before)
        content = self.content.next(environment, before, key, signer == key.id)
        if before is not None and not at_once and _is_young(content.index, before):
            return Published(before, (), is_new=False)
        for file, data in content.files.items():
            if isinstance(data, bytes):
                self.target.write(file.name, data)
            else:
                self.target.upload(file.name, data)
        with self.duty.guarding():
            if self.target.read_index() != found:
                return None
            self.target.write(INDEX_FILE, sign_index(content.index, key))
            self._tidy(content, before)
        return Published(content.index, tuple(content.files), is_new=True)

    def _refuse_foreign(self, environment: str, before: Index | None) -> None:
        if before is None:
            return
        env = self.store.environment(environment)
        if before.environment.uuid != env.uuid:
            raise ForeignTarget(
                f"`{self.target.shown}` has the environment `{before.environment.id}` ({before.environment.uuid});"
                " publish each environment to its own folder"
            )
        if env.epoch < before.epoch:
            raise Superseded(
                f"`{self.target.shown}` has epoch {before.epoch}, and this store has epoch {env.epoch}: another machine"
                " has taken over, or a backup was restored there, so nothing of this store is published any more;"
                " stop its service"
            )
        if env.revision < before.revision and env.epoch == before.epoch:
            raise ForeignTarget(
                f"`{self.target.shown}` has epoch {before.epoch} and revision {before.revision}, newer than this store;"
                " agents never go back"
            )

    def _tidy(self, content: Content, before: Index | None) -> None:
        """Removes the files whose time is over, and now and then those that no index names."""
        kept = _names(content.index)
        gone = set() if before is None else _names(before) - kept
        now = self.clock()
        if now - self._tidied >= TIDY_SECONDS:
            self._tidied = now
            gone |= {
                one.name
                for one in self.target.files()
                if _OURS.fullmatch(one.name)
                and one.name not in kept
                and one.changed is not None
                and now - one.changed >= GRACE_SECONDS
            }
        for name in sorted(gone):
            self.target.remove(name)


def read_published(target: PublishingTarget, found: bytes, pems: list[bytes]) -> tuple[Index, str]:
    """Returns the index `found` in a target, and the id of the key that signed it. Raises ForeignTarget.

    `pems` are the public keys of the store.
    """
    try:
        return verified_index(found, pems, None), INDEX.unverified(found)[0]
    except BundleError as ex:
        raise ForeignTarget(
            f"`{target.shown}` has an index that this store did not write: {ex}; choose another folder, or remove"
            f" `{INDEX_FILE}`"
        ) from None


def _is_young(index: Index, before: Index) -> bool:
    """Returns whether an index says the same as the one before, which is young enough."""
    same = replace(index, number=before.number, issued=before.issued, expires=before.expires, retired=before.retired)
    return same == before and 0 <= index.issued - before.issued < HEARTBEAT_SECONDS


def _names(index: Index) -> set[str]:
    return {one.name for one in index.files()} | {one.name for one in index.retired}
