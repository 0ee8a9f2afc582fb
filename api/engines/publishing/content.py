"""The content to publish next: the signed bundle, updates and callers of one environment, and their index."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ....bundles.feed.callers import sign_callers
from ....bundles.feed.index import Index, PublishedBundle, PublishedFile, PublishedUpdate, Retired
from ....bundles.feed.times import LIFETIME_SECONDS
from ....bundles.feed.update import claims_about, encode_update
from ....bundles.manifest import Environment as Origin
from ....bundles.signing.pem_keys import SigningKey
from ....bundles.signing.sign import DAY
from ...store.environments import Environment
from ...store.store import Store
from ..exports.callers_list import CallersLists
from ..exports.make import ExportMaker
from ..exports.updates import MOST_UPDATE_BYTES

MOST_UPDATES: Final = 1_000
"""The updates that lead on from a bundle at most. Beyond, a new bundle is published."""

KEPT_UPDATES: Final = 100
"""The updates before a new bundle that stay, for agents that are a little behind."""

KEPT_MANIFESTS: Final = 4
"""The bundles, the newest ones and those before, that new updates fit."""

GRACE_SECONDS: Final = 3_600
"""Time for which a file stays after the last index that named it: an agent may be reading it."""

MOST_RETIRED: Final = 4_000
"""The files that stay so. With more, the oldest are removed earlier: readers take no index beyond a certain size."""

CALLERS_SECONDS: Final = LIFETIME_SECONDS // 4
"""Age at which the list of callers gets a new signature."""

_PIECE: Final = 2**20


@dataclass(slots=True)
class Content:
    """An index, and the files that must be there before it, each as bytes or as the local file that is copied."""

    index: Index
    files: dict[PublishedFile, bytes | Path]


@dataclass(slots=True)
class _Draft:
    """The parts of an index that is being made, for one environment and key, with times in seconds."""

    env: Environment
    key: SigningKey
    now: int
    lifetime: int
    bundle: PublishedBundle = field(init=False)
    updates: tuple[PublishedUpdate, ...] = ()
    manifests: tuple[str, ...] = ()
    callers: PublishedFile | None = None
    files: dict[PublishedFile, bytes | Path] = field(default_factory=dict)

    def put(self, stem: str, kind: str, content: bytes | Path) -> PublishedFile:
        """Adds a file, whose name ends with a part of its digest."""
        size, digest = _measured(content)
        file = PublishedFile(f"{stem}-{digest[:16]}.{kind}", size, digest)
        self.files[file] = content
        return file

    def add_update(self, parent: int, deltas: Sequence[bytes]) -> None:
        """Adds the update from the revision `parent`. `deltas` follow it, one for each revision."""
        origin = Origin(self.env.id, self.env.uuid)
        claims = claims_about(origin, self.env.epoch, self.manifests, parent, deltas, self.now, self.lifetime)
        data = encode_update(claims, deltas, self.key)
        file = self.put(f"{self.env.epoch}-{parent}-{claims.revision}", "update", data)
        self.updates = (*self.updates, PublishedUpdate(file, parent, claims.revision, claims.expires))

    def finished(self, before: Index | None) -> Content:
        """Returns the content, with an index that follows `before`."""
        reached = [self.bundle.revision, *(one.revision for one in self.updates)]
        index = Index(
            environment=Origin(self.env.id, self.env.uuid),
            epoch=self.env.epoch,
            # It rises also if an operator has removed the index before: readers still know that one.
            number=max(self.now, 0 if before is None else before.number + 1),
            revision=max(reached),
            bundle=self.bundle,
            updates=self.updates,
            manifests=self.manifests,
            callers=self.callers,
            retired=(),
            issued=self.now,
            expires=self.now + LIFETIME_SECONDS,
        )
        return Content(_with_retired(index, before, self.now), self.files)


class ContentMaker:
    """Makes the content of one environment. All methods raise NotFound, StoreUnavailable, OSError."""

    def __init__(
        self,
        store: Store,
        maker: ExportMaker,
        lists: CallersLists | None,
        lifetime: int,
        clock: Callable[[], float],
    ) -> None:
        """Without `lists`, no list of callers is published. `lifetime` is in seconds, `clock` gives epoch seconds."""
        self._store, self._maker, self._lists = store, maker, lists
        self._lifetime, self._clock = lifetime, clock

    def next(self, environment: str, before: Index | None, key: SigningKey, same_key: bool) -> Content:
        """Returns the content that follows the index `before`. `same_key` says whether `key` has signed that one."""
        draft = _Draft(self._store.environment(environment), key, int(self._clock()), self._lifetime)
        usable = before if before is not None and before.epoch == draft.env.epoch else None
        if usable is None or not same_key or not self._continue(draft, usable):
            self._begin(draft, usable)
        self._add_callers(draft, usable if same_key else None)
        return draft.finished(before)

    def _continue(self, draft: _Draft, before: Index) -> bool:
        """Keeps the bundle, with an update to the newest revision. Returns False if a new bundle is needed."""
        bundle = before.bundle
        if draft.now >= (bundle.issued + bundle.expires) / 2 or len(before.updates) >= MOST_UPDATES + KEPT_UPDATES:
            return False
        used = sum(one.file.size for one in before.updates if one.parent >= bundle.revision)
        deltas = self._deltas(draft.env, before.revision, max(0, MOST_UPDATE_BYTES - used))
        if deltas is None:
            return False
        draft.bundle, draft.updates, draft.manifests = bundle, before.updates, before.manifests
        if deltas:
            draft.add_update(before.revision, deltas)
        return True

    def _begin(self, draft: _Draft, before: Index | None) -> None:
        """Publishes a new bundle. Agents of the index before still get there by updates, if deltas lead on."""
        one = self._maker.export(draft.env.id, draft.env.revision, draft.key, self._lifetime)
        file = draft.put(f"{one.epoch}-{one.revision}", "bundle", one.path)
        draft.bundle = PublishedBundle(file, one.revision, one.manifest, one.issued, one.expires)
        draft.manifests = (one.manifest,)
        earlier = None if before is None else self._deltas(draft.env, before.revision, MOST_UPDATE_BYTES)
        if before is None or earlier is None or not 0 <= one.revision - before.revision <= len(earlier):
            return
        draft.manifests = tuple(dict.fromkeys((one.manifest, *before.manifests)))[:KEPT_MANIFESTS]
        draft.updates = _lasting(before.updates[-KEPT_UPDATES:], draft.now)
        if one.revision > before.revision:
            draft.add_update(before.revision, earlier[: one.revision - before.revision])

    def _deltas(self, env: Environment, since: int, most_bytes: int) -> Sequence[bytes] | None:
        """Returns the deltas from a revision to the newest one, or None if they don't lead there."""
        found = self._store.updates(env.id, since, most_bytes)
        same = (found.env.uuid, found.env.epoch) == (env.uuid, env.epoch)
        return found.deltas if found.are_complete and same else None

    def _add_callers(self, draft: _Draft, before: Index | None) -> None:
        if self._lists is None:
            return
        admitted = self._store.credentials.admitted(draft.env.uuid)
        callers, tag = self._lists.callers(draft.env, admitted, draft.now)
        stem = f"{draft.env.epoch}-{callers.generation}-{tag}"
        if before is not None and before.callers is not None:
            known, _, issued = before.callers.name.rpartition("-")[0].rpartition("-")
            if known == stem and 0 <= draft.now - int(issued) < CALLERS_SECONDS:
                draft.callers = before.callers
                return
        draft.callers = draft.put(f"{stem}-{callers.issued}", "callers", sign_callers(callers, draft.key))


def _lasting(updates: Sequence[PublishedUpdate], now: int) -> tuple[PublishedUpdate, ...]:
    """Returns the last updates, those that are accepted for a day more at least. They have no gap."""
    expired = [place for place, one in enumerate(updates) if one.expires < now + DAY]
    return tuple(updates[expired[-1] + 1 if expired else 0 :])


def _with_retired(index: Index, before: Index | None, now: int) -> Index:
    """Returns the index with the files that it no longer names, for as long as they stay."""
    if before is None:
        return index
    named = {one.name for one in index.files()}
    since = {one.name: one.since for one in before.retired}
    dropped = {one.name: since.get(one.name, now) for one in before.files()} | since
    young = [Retired(name, time) for name, time in dropped.items() if name not in named and now - time < GRACE_SECONDS]
    retired = sorted(young, key=lambda one: one.since)[-MOST_RETIRED:]
    return replace(index, retired=tuple(sorted(retired)))


def _measured(content: bytes | Path) -> tuple[int, str]:
    """Returns the size and the SHA-256 of a content."""
    if isinstance(content, bytes):
        return len(content), sha256(content).hexdigest()
    size, digest = 0, sha256()
    with content.open("rb") as file:
        while piece := file.read(_PIECE):
            size += len(piece)
            digest.update(piece)
    return size, digest.hexdigest()
