"""What is in force: the engine of each environment, kept at the newest revision that the store has committed.

A worker asks before every decision whether the database changed (`PRAGMA data_version`, microseconds) and applies what
it has not seen. So an evaluation is never older than the last commit that its client was told of.
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
from ..store.environments import DEFAULT, Environment
from ..store.errors import NotFound, StoreUnavailable
from ..store.store import Store
from .bundle_files import BundleFile, BundleFiles, NoBundle

EngineOf: TypeAlias = Callable[[str], Engine]
"""Gives the engine of an environment, by its id."""

Damaged: TypeAlias = Callable[[str, BundleError], bool]
"""Told of an environment whose bundle turned out to be damaged; gives back whether that is news."""


class Stale(Exception):
    """The store can't be read, and what is in memory is older than may be served: decisions fail, clients deny.

    Its text is for anybody: it names no file.
    """


@dataclass(slots=True)
class _Served:
    """An engine, the environment's UUID and epoch, the bundle file below it and that one's revision.

    `behind_since` is when, on the monotonic clock, it could not be brought up to date; None where it is. `needs` is
    the revision of which a bundle is needed to get on; None where deltas lead on. `damage` says that the file is
    damaged: nothing is decided then. `changes` lie on top of the bundle.
    """

    engine: Engine
    uuid: str
    epoch: int
    file: BundleFile
    base: int
    behind_since: float | None = None
    needs: int | None = None
    damage: str | None = None
    changes: int = 0

    def is_at(self, env: Environment) -> bool:
        """Whether this is the environment's newest revision already."""
        newest = self.uuid, self.epoch, self.engine.revision
        return newest == (env.uuid, env.epoch, env.revision) and self.behind_since is None


class InForce:
    """The engines of one process. Decisions run on one thread, and so does this: nothing here is locked.

    An environment without a bundle, or with a damaged one, is not decided in until it has one (see `lagging`).
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
        self._seen: tuple[int, int] | None = None
        self._served: dict[str, _Served] = {}
        self._without: set[str] = set()

    def engine(self, environment: str = DEFAULT) -> Engine:
        """The engine of an environment. Raises NotFound, and Stale where it has been behind for too long."""
        try:
            version = self._watch.version()
            if version != self._seen:
                self._catch_up()
                behind = any(served.behind_since is not None and not served.damage for served in self._served.values())
                self._seen = None if behind else version
            if environment not in self._served:
                self._open(environment)
        except (StoreUnavailable, NoBundle, BundleError) as ex:
            self._seen = None
            if environment not in self._served:
                if isinstance(ex, NoBundle):
                    self._without.add(environment)
                raise self._undecided(environment, ex) from ex
            for served in self._served.values():
                self._fall_behind(served, ex)
        served = self._served[environment]
        since = served.behind_since
        if since is not None and time.monotonic() - since > self._stale_seconds:
            raise Stale(served.damage or "the store can't be read, so nothing is decided")
        return served.engine

    def damaged(self, environment: str, error: BundleError) -> bool:
        """Decide nothing more from a bundle that turned out to be damaged, and ask for another one (see `lagging`).

        Whoever rebuilds it finds no file any more. Gives back whether that is news.
        """
        served = self._served.get(environment)
        if served is None or served.damage:
            return False
        served.damage = f"nothing is decided in `{environment}` until its bundle is built anew, since it is damaged"
        served.behind_since, served.needs = -math.inf, served.engine.revision
        self._log.error("%s: %s", served.damage, error)
        self._files.discard(served.file)
        self._seen = None  # another worker may have built it already
        return True

    def _undecided(self, environment: str, trouble: Exception) -> Stale:
        """What /readyz may show to anybody: the log alone names files."""
        if isinstance(trouble, NoBundle):
            return Stale(f"nothing can be decided in `{environment}`: {trouble}")
        self._log.error("nothing can be decided in `%s`: %s", environment, trouble)
        return Stale(f"nothing can be decided in `{environment}`: the store can't be read")

    def _fall_behind(self, served: _Served, trouble: Exception) -> None:
        """What is in memory serves on for a while."""
        if served.behind_since is None:
            served.behind_since = time.monotonic()
            self._log.error("the store can't be followed: %s", trouble)

    def _catch_up(self) -> None:
        here = {env.id: env for env in self._store.environments()}
        self._without &= here.keys()
        for id, served in list(self._served.items()):
            if id in here and served.is_at(here[id]):
                continue
            try:
                self._advance(id, served)
                if not served.damage:
                    served.behind_since = None
            except NotFound:
                del self._served[id]
            except NoBundle as ex:
                self._fall_behind(served, ex)
            except BundleError as ex:
                self.damaged(id, ex)

    def refresh(self) -> None:
        """Follow the store though nobody asks, so that the next one who does finds little to do."""
        for environment in list(self._served):
            with suppress(NotFound, Stale):
                self.engine(environment)
                break
        for environment in list(self._without):
            with suppress(NotFound, Stale):
                self.engine(environment)

    def lagging(self) -> list[tuple[str, int]]:
        """The environments that need a bundle to get on, and the revision that it has to be of."""
        behind = [(id, served.needs) for id, served in self._served.items() if served.needs is not None]
        return [*behind, *((id, 0) for id in self._without)]

    def revision(self, environment: str) -> int | None:
        """The revision in force, None where the environment has no bundle yet. Raises NotFound."""
        try:
            return self.engine(environment).revision
        except Stale:
            return None

    def changes(self, environment: str) -> tuple[int, int]:
        """How many changes lie on top of the bundle, and of how many things that one is made."""
        served = self._served[environment]
        return served.changes, sum(served.engine.manifest.counts.values())

    def close(self) -> None:
        """Let go of the database, and keep the engines: to be called before a fork.

        A child that inherits a connection, even one that it never uses, takes its locks for its own and gets none.
        """
        self._watch.close()
        self._seen = None

    def _advance(self, id: str, served: _Served) -> None:
        """Bring one engine as far as deltas lead, or to a newer bundle.

        Where that is not the newest revision, it takes a bundle which is not there yet. The write that made it
        necessary is not answered yet either.
        """
        followed = self._store.follow(id, served.engine.revision)
        if (followed.env.uuid, followed.env.epoch) != (served.uuid, served.epoch):
            del self._served[id]
            self._open(id)
            return
        if not served.damage:
            if followed.deltas:
                deltas = [decode_delta(delta) for delta in followed.deltas]
                served.engine.apply_deltas(deltas)
                served.changes += _changes(deltas)
            served.needs = followed.needs
        if followed.bundle is not None and (followed.bundle[0] > served.base or served.damage):
            try:
                self._open(id)
            except NoBundle:
                if not followed.complete:
                    raise

    def _open(self, id: str) -> None:
        """Start from the newest bundle, unless what is served is further on already, or damaged and that very file."""
        followed, bundle, file = self._files.newest(id)
        served = self._served.get(id)
        deltas = [decode_delta(delta) for delta in followed.deltas]
        env = followed.env
        try:
            if served is None:
                served = _Served(Engine(bundle, self._clock), env.uuid, env.epoch, file, bundle.revision)
                served.engine.apply_deltas(deltas)
                served.changes = _changes(deltas)
                self._served[id] = served
            elif served.damage and file == served.file:
                raise NoBundle
            elif followed.since + len(deltas) >= served.engine.revision:
                served.engine.replace(bundle, deltas)
                served.base, served.file, served.damage = bundle.revision, file, None
                served.changes = _changes(deltas)
        except BundleError:
            self._files.discard(file)
            raise NoBundle from None
        served.needs = followed.needs
        self._without.discard(id)


def _changes(deltas: Iterable[Delta]) -> int:
    return sum(len(delta.changes) for delta in deltas)
