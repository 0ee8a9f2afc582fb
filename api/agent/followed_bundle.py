"""A bundle and the updates that were accepted since, with an engine over them. It is immutable."""

from collections.abc import Callable
from dataclasses import dataclass

from ...bundles.errors import UNREADABLE, BundleError
from ...bundles.feed.position import Position
from ...bundles.feed.update import Update
from ...bundles.file.reader import Bundle
from ...runtime.engine import Engine
from ...runtime.rates.rate_table import RateTable
from .trust import position_in


@dataclass(frozen=True, slots=True)
class FollowedBundle:
    """A bundle and the updates on top of it, in force or not.

    - `position` is where it is, and `base` the revision of its bundle.
    - `updates` counts the updates on top of the bundle, and `size` their bytes.
    """

    engine: Engine
    position: Position
    base: int
    updates: int = 0
    size: int = 0

    @property
    def age(self) -> tuple[int, int]:
        """The epoch and the revision. A follower never goes back to lower ones."""
        return self.position.epoch, self.position.revision

    @property
    def deltas(self) -> int:
        """The number of deltas on top of the bundle."""
        return self.position.revision - self.base

    def updated(self, update: Update, size: int) -> "FollowedBundle":
        """Returns what an update of `size` bytes makes of this, which stays as it is.

        Raises BundleError if the update does not fit.
        """
        engine = self.engine.pinned()
        try:
            engine.apply_deltas(update.deltas)
        except UNREADABLE as ex:
            raise BundleError(f"the update can't be applied: {ex}") from None
        position = self.position._replace(revision=update.claims.revision)
        added = bool(update.deltas)
        return FollowedBundle(engine, position, self.base, self.updates + added, self.size + added * size)


def followed_bundle_from(
    bundle: Bundle, clock: Callable[[], float], counters: RateTable | None, strict: bool = False
) -> FollowedBundle:
    """Returns a bundle without updates. `clock`, `counters` and `strict` are those of the engine."""
    engine = Engine(bundle, clock, counters=counters, strict=strict)
    return FollowedBundle(engine, position_in(bundle), bundle.revision)
