"""What is in force: the engine of each environment, kept at the newest revision that the store has committed.

A worker asks before every decision whether the database changed (`PRAGMA data_version`, microseconds) and applies what
it has not seen. So an evaluation is never older than the last commit that its client was told of.
"""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from api.bundle_files import BundleFiles, NoBundle
from api.store.environments import DEFAULT
from api.store.refusals import NotFound, StoreUnavailable
from api.store.store import Store
from api.store.watch import Watch
from bundles.delta import decode_delta
from bundles.errors import BundleError
from runtime import Engine

EngineOf: TypeAlias = Callable[[str], Engine]
"""Gives the engine of an environment, by its id."""


class Stale(Exception):
    """The store can't be read, and what is in memory is older than may be served: decisions fail, clients deny."""


@dataclass(slots=True)
class _Served:
    """An engine, the environment's UUID and epoch, and the revision of the bundle file below it."""

    engine: Engine
    uuid: str
    epoch: int
    base: int


class InForce:
    """The engines of one process. Decisions run on one thread, and so does this: nothing here is locked."""

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
        self._watch = Watch(store)
        self._seen: tuple[int, int] | None = None
        self._fresh_at = time.monotonic()
        self._failing = False
        self._served: dict[str, _Served] = {}

    def engine(self, environment: str = DEFAULT) -> Engine:
        """The engine of an environment. Raises NotFound, and Stale where the store has been failing for too long."""
        try:
            version = self._watch.version()
            if version != self._seen:
                self._catch_up()
                self._seen = version
            if environment not in self._served:
                self._open(environment)
            self._fresh_at, self._failing = time.monotonic(), False
        except (StoreUnavailable, BundleError, NoBundle) as ex:
            self._survive(environment, ex)
        return self._served[environment].engine

    def revision(self, environment: str) -> int | None:
        """The revision in force, None where the environment has no bundle yet. Raises NotFound."""
        try:
            return self.engine(environment).revision
        except Stale:
            return None

    def deltas(self, environment: str) -> int:
        """How many revisions lie on top of the bundle."""
        served = self._served[environment]
        return served.engine.revision - served.base

    def _survive(self, environment: str, trouble: Exception) -> None:
        """Serve on from memory for a while."""
        if not self._failing:
            self._failing = True
            self._log.error("the store can't be followed: %s", trouble or "a bundle is missing")
        if environment not in self._served or time.monotonic() - self._fresh_at > self._stale_seconds:
            raise Stale("the store can't be read, so nothing is decided") from trouble

    def _catch_up(self) -> None:
        for id, served in list(self._served.items()):
            try:
                self._advance(id, served)
            except NotFound:
                del self._served[id]

    def _advance(self, id: str, served: _Served) -> None:
        """Bring one engine to the newest revision.

        Where that takes a new bundle which is not there yet, the write that made it necessary is not answered yet
        either, and what is in force stays.
        """
        env = self._store.environment(id)
        if (env.uuid, env.epoch) != (served.uuid, served.epoch):
            self._open(id)
            return
        recorded = self._store.newest_bundle(env)
        if recorded is not None and recorded[0] > served.base:
            self._open(id)
        elif env.revision > served.engine.revision:
            deltas = self._store.deltas_since(env, served.engine.revision)
            if deltas is not None:
                served.engine.advance([decode_delta(delta) for delta in deltas])

    def _open(self, id: str) -> None:
        env = self._store.environment(id)
        bundle, deltas = self._files.newest(env)
        served = self._served.get(id)
        if served is None:
            served = self._served[id] = _Served(Engine(bundle, self._clock), env.uuid, env.epoch, bundle.revision)
            served.engine.advance(deltas)
        else:
            served.engine.replace(bundle, deltas)
            served.uuid, served.epoch, served.base = env.uuid, env.epoch, bundle.revision
