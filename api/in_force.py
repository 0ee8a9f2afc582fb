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
    """An engine, the environment's UUID and epoch, and the revision of the bundle file below it.

    `behind_since` is when, on the monotonic clock, it could not be brought up to date; None where it is.
    """

    engine: Engine
    uuid: str
    epoch: int
    base: int
    behind_since: float | None = None


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
        self._served: dict[str, _Served] = {}

    def engine(self, environment: str = DEFAULT) -> Engine:
        """The engine of an environment. Raises NotFound, and Stale where it has been behind for too long."""
        try:
            version = self._watch.version()
            if version != self._seen:
                self._catch_up()
                behind = any(served.behind_since is not None for served in self._served.values())
                self._seen = None if behind else version
            if environment not in self._served:
                self._open(environment)
        except (StoreUnavailable, NoBundle, BundleError) as ex:
            self._seen = None
            if environment not in self._served:
                raise Stale(f"nothing can be decided in `{environment}`: {ex}") from ex
            for served in self._served.values():
                self._fall_behind(served, ex)
        served = self._served[environment]
        since = served.behind_since
        if since is not None and time.monotonic() - since > self._stale_seconds:
            raise Stale("the store can't be read, so nothing is decided")
        return served.engine

    def _fall_behind(self, served: _Served, trouble: Exception) -> None:
        """What is in memory serves on for a while."""
        if served.behind_since is None:
            served.behind_since = time.monotonic()
            self._log.error("the store can't be followed: %s", trouble)

    def _catch_up(self) -> None:
        for id, served in list(self._served.items()):
            try:
                self._advance(id, served)
                served.behind_since = None
            except NotFound:
                del self._served[id]
            except (NoBundle, BundleError) as ex:
                self._fall_behind(served, ex)

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
