"""The live engines: one per environment, at the newest revision that the store has committed.

Before every decision, a worker asks whether the database has changed (`PRAGMA data_version`, microseconds). If so, it
applies the changes that it has not seen. So an evaluation is never older than the last commit that its client was told
of.
"""

import logging
import math
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from ...bundles.delta import Delta, decode_delta
from ...bundles.errors import BundleError
from ...runtime import Engine
from ..store.database.watch import Version
from ..store.environments import DEFAULT, Environment
from ..store.errors import NotFound, StoreUnavailable
from ..store.store import Store
from .bundle_files import BundleFile, BundleFiles, NoBundle

EngineOf: TypeAlias = Callable[[str], Engine]
"""Returns the engine of an environment, by its id."""

ReportDamage: TypeAlias = Callable[[str, BundleError], bool]
"""Reports that the bundle of an environment is damaged. Returns False if that was reported before."""


class Stale(Exception):
    """The store can't be read, and the snapshot in memory is too old to serve. Decisions fail, and clients deny.

    The message may be shown to anyone: it names no file.
    """


@dataclass(slots=True)
class _LiveEngine:
    """An engine, its environment's UUID and epoch, its bundle file and the revision of that bundle.

    `behind_since` is the time on the monotonic clock since which Writ could not update it, or None if it is up to date.
    `required_revision` is the revision that a new bundle must have, or None if deltas suffice. `damage` says that the
    bundle is damaged, and then Writ decides nothing with it. `changes` counts the changes on top of the bundle.
    """

    engine: Engine
    uuid: str
    epoch: int
    file: BundleFile
    base: int
    behind_since: float | None = None
    required_revision: int | None = None
    damage: str | None = None
    changes: int = 0

    def is_at(self, env: Environment) -> bool:
        """Whether the engine is at the environment's newest revision."""
        newest = self.uuid, self.epoch, self.engine.revision
        return newest == (env.uuid, env.epoch, env.revision) and self.behind_since is None


class LiveEngines:
    """The engines of one process. Decisions run on one thread, and so do these methods: nothing has a lock.

    If an environment has no bundle, or a damaged one, decisions in it fail until there is a new one (see
    `missing_bundles`).
    """

    def __init__(
        self,
        store: Store,
        files: BundleFiles,
        stale_seconds: float,
        log: logging.Logger,
        clock: Callable[[], float] = time.time,
    ):
        """`stale_seconds` is how long the snapshot in memory serves while the store can't be read."""
        self._store, self._files, self._log, self._clock = store, files, log, clock
        self._stale_seconds = stale_seconds
        self._watch = store.watch
        self._seen: Version | None = None
        self._served: dict[str, _LiveEngine] = {}
        self._without_bundle: set[str] = set()

    def engine(self, environment: str = DEFAULT) -> Engine:
        """Returns the engine of an environment.

        Raises NotFound, or Stale if the engine has been behind for too long.
        """
        try:
            version = self._watch.version()
            if version != self._seen:
                self._update_all()
                behind = any(served.behind_since is not None and not served.damage for served in self._served.values())
                self._seen = None if behind else version
            if environment not in self._served:
                self._open(environment)
        except (StoreUnavailable, NoBundle, BundleError) as ex:
            self._seen = None
            if environment not in self._served:
                if isinstance(ex, NoBundle):
                    self._without_bundle.add(environment)
                raise self._undecided(environment, ex) from ex
            for served in self._served.values():
                self._fall_behind(served, ex)
        served = self._served[environment]
        since = served.behind_since
        if since is not None and time.monotonic() - since > self._stale_seconds:
            raise Stale(served.damage or "the store can't be read, so nothing is decided")
        return served.engine

    def report_damage(self, environment: str, error: BundleError) -> bool:
        """Stop deciding from a damaged bundle, and list the environment in `missing_bundles`.

        Also removes the file, so that the rebuild doesn't find it. Returns False if the damage was reported before.
        """
        served = self._served.get(environment)
        if served is None or served.damage:
            return False
        served.damage = f"nothing is decided in `{environment}` until its bundle is built anew, since it is damaged"
        served.behind_since, served.required_revision = -math.inf, served.engine.revision
        self._log.error("%s: %s", served.damage, error)
        self._files.discard(served.file)
        self._seen = None  # another worker may have built it already
        return True

    def _undecided(self, environment: str, trouble: Exception) -> Stale:
        """Returns the error that /readyz may show to anyone. Only the log names files."""
        if isinstance(trouble, NoBundle):
            return Stale(f"nothing can be decided in `{environment}`: {trouble}")
        self._log.error("nothing can be decided in `%s`: %s", environment, trouble)
        return Stale(f"nothing can be decided in `{environment}`: the store can't be read")

    def _fall_behind(self, served: _LiveEngine, trouble: Exception) -> None:
        """Start the time for which the snapshot in memory may serve."""
        if served.behind_since is None:
            served.behind_since = time.monotonic()
            self._log.error("the engines can't be updated: %s", trouble)

    def _update_all(self) -> None:
        here = {env.id: env for env in self._store.environments()}
        self._without_bundle &= here.keys()
        for id, served in list(self._served.items()):
            if id in here and served.is_at(here[id]):
                continue
            try:
                self._update(id, served)
                if not served.damage:
                    served.behind_since = None
            except NotFound:
                del self._served[id]
            except NoBundle as ex:
                self._fall_behind(served, ex)
            except BundleError as ex:
                self.report_damage(id, ex)

    def refresh(self) -> None:
        """Update the engines without a request, so that the next request finds little to do."""
        self._watch.beat()
        for environment in list(self._served):
            with suppress(NotFound, Stale):
                self.engine(environment)
                break
        for environment in list(self._without_bundle):
            with suppress(NotFound, Stale):
                self.engine(environment)

    def missing_bundles(self) -> list[tuple[str, int]]:
        """Returns the environments that need a bundle, each with the revision that the bundle must have."""
        behind = [
            (id, served.required_revision)
            for id, served in self._served.items()
            if served.required_revision is not None
        ]
        return [*behind, *((id, 0) for id in self._without_bundle)]

    def revision(self, environment: str) -> int | None:
        """Returns the live revision of an environment, or None if it has no bundle yet. Raises NotFound."""
        try:
            return self.engine(environment).revision
        except Stale:
            return None

    def changes(self, environment: str) -> tuple[int, int]:
        """Returns the number of changes on top of the bundle, and the number of elements in the bundle."""
        served = self._served[environment]
        return served.changes, sum(served.engine.manifest.counts.values())

    def close(self) -> None:
        """Close the connection to the database, and keep the engines. Call this before a fork.

        A child that inherits a connection, even an unused one, takes the parent's locks for its own, and gets no lock
        itself.
        """
        self._watch.close()
        self._seen = None

    def _update(self, id: str, served: _LiveEngine) -> None:
        """Update one engine as far as deltas lead, or to a newer bundle.

        If that is not the newest revision, the bundle for it does not exist yet, and the write is not acknowledged yet
        either.
        """
        updates = self._store.updates(id, served.engine.revision)
        if (updates.env.uuid, updates.env.epoch) != (served.uuid, served.epoch):
            del self._served[id]
            self._open(id)
            return
        if not served.damage:
            if updates.deltas:
                deltas = [decode_delta(delta) for delta in updates.deltas]
                served.engine.apply_deltas(deltas)
                served.changes += _changes(deltas)
            served.required_revision = updates.required_revision
        if updates.bundle is not None and (updates.bundle[0] > served.base or served.damage):
            try:
                self._open(id)
            except NoBundle:
                if not updates.are_complete:
                    raise

    def _open(self, id: str) -> None:
        """Start from the newest bundle, unless the engine is newer already or this file is the damaged one."""
        updates, bundle, file = self._files.newest(id)
        served = self._served.get(id)
        deltas = [decode_delta(delta) for delta in updates.deltas]
        env = updates.env
        try:
            if served is None:
                served = _LiveEngine(
                    Engine(bundle, self._clock, impatient=True), env.uuid, env.epoch, file, bundle.revision
                )
                served.engine.apply_deltas(deltas)
                served.changes = _changes(deltas)
                self._served[id] = served
            elif served.damage and file == served.file:
                raise NoBundle
            elif updates.since + len(deltas) >= served.engine.revision:
                served.engine.replace(bundle, deltas)
                served.base, served.file, served.damage = bundle.revision, file, None
                served.changes = _changes(deltas)
        except BundleError:
            self._files.discard(file)
            raise NoBundle from None
        served.required_revision = updates.required_revision
        self._without_bundle.discard(id)


def _changes(deltas: Iterable[Delta]) -> int:
    return sum(len(delta.changes) for delta in deltas)
