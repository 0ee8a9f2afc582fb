"""The live engine of one environment: how it is opened from the newest bundle, and how it takes up deltas."""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ....bundles.delta import Delta, decode_delta
from ....bundles.errors import BundleError
from ....runtime import Engine
from ....runtime.rates.rate_table import RateTable
from ....runtime.requests.registry import Registry
from ...store.environments import Environment
from ...store.history.revision_updates import Updates
from .bundle_files import BundleFile, BundleFiles, NewestBundle, NoBundle


@dataclass(slots=True)
class LiveEngine:
    """An engine, its environment's UUID and epoch, its bundle file and the revision of that bundle.

    `behind_since` is the time on the monotonic clock since which Writ could not update it, or None if it is up to date.
    `is_told` says that the log has the reason.
    `required_revision` is the revision that a new bundle must have, or None if deltas suffice. `damage` says that the
    bundle is damaged, and then Writ decides nothing with it. `may_decide` is false if a client may know of a commit
    that needs this bundle. `changes` counts the changes on top of the bundle, and `delta_bytes` the bytes of their
    deltas.
    """

    engine: Engine
    uuid: str
    epoch: int
    file: BundleFile
    base: int
    behind_since: float | None = None
    is_told: bool = False
    required_revision: int | None = None
    may_decide: bool = True
    damage: str | None = None
    changes: int = 0
    delta_bytes: int = 0

    def is_at(self, env: Environment) -> bool:
        """Returns whether the engine is at the environment's newest revision."""
        newest = self.uuid, self.epoch, self.engine.revision
        return newest == (env.uuid, env.epoch, env.revision) and self.behind_since is None

    def is_of(self, env: Environment) -> bool:
        """Returns whether this is the environment, and not another one of the same id."""
        return (self.uuid, self.epoch) == (env.uuid, env.epoch)

    def with_deltas(self, encoded: Sequence[bytes]) -> "LiveEngine":
        """Puts deltas into force, and returns itself. Raises BundleError if they do not fit."""
        deltas = [decode_delta(delta) for delta in encoded]
        self.engine.apply_deltas(deltas)
        self._count(deltas, encoded)
        return self

    def _count(self, deltas: Iterable[Delta], encoded: Sequence[bytes]) -> None:
        self.changes += sum(len(delta.changes) for delta in deltas)
        self.delta_bytes += sum(map(len, encoded))

    def needs(self, updates: Updates) -> bool:
        """Returns whether the newest bundle is newer than this one, or replaces a damaged one."""
        return updates.bundle is not None and (updates.bundle[0] > self.base or self.damage is not None)

    def lead_to(self, updates: Updates) -> None:
        """Note whether updates lead to the newest revision. Call it before they are applied, which may take long."""
        self.required_revision, self.may_decide = updates.required_revision, updates.may_decide

    def fall_behind(self) -> float:
        """Start the time for which the snapshot in memory may serve, unless it has started. Returns its start."""
        if self.behind_since is None:
            self.behind_since = time.monotonic()
        return self.behind_since

    def mark_damaged(self, damage: str) -> None:
        """Decide nothing any more."""
        self.damage, self.behind_since, self.required_revision = damage, -math.inf, self.engine.revision
        self.is_told = True  # its caller logs more


def opened(
    newest: NewestBundle,
    served: LiveEngine | None,
    files: BundleFiles,
    clock: Callable[[], float],
    counters: RateTable | None,
    registry: Registry,
) -> LiveEngine:
    """Returns the live engine over the newest bundle, or `served`, if it is newer already.

    `clock`, `counters` and `registry` are those of a new engine.
    Raises NoBundle if the bundle is the damaged one, or its deltas do not fit. Then its file is gone.
    """
    updates, bundle, file = newest
    try:
        deltas = [decode_delta(delta) for delta in updates.deltas]
        env = updates.env
        if served is None:
            engine = Engine(bundle, clock, counters=counters, registry=registry)
            engine.apply_deltas(deltas)
            served = LiveEngine(engine, env.uuid, env.epoch, file, bundle.revision)
            served._count(deltas, updates.deltas)
        elif served.damage and file == served.file:
            raise NoBundle
        elif updates.since + len(deltas) >= served.engine.revision:
            served.engine.replace(bundle, deltas)
            served.base, served.file, served.damage = bundle.revision, file, None
            served.changes = served.delta_bytes = 0
            served._count(deltas, updates.deltas)
    except BundleError:
        files.discard(file)
        raise NoBundle from None
    served.lead_to(updates)
    return served
