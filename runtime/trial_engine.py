"""An engine on which changes can be tried, while another one decides."""

from collections.abc import Callable

from .engine import Engine
from .limits import CacheLimits
from .snapshot import Snapshot
from .state.overlay import state_apart


class TrialEngine(Engine):
    """An engine at the revision of another one, and apart from it. It counts for no rate limit (C10).

    Both share the mapped bundle, and nothing that either computes: caches and the numbers of new names are its own. So
    deltas that are put into force here leave no trace there, and any thread may make one, also while another thread
    puts deltas into force there.
    """

    def __init__(self, engine: Engine, clock: Callable[[], float], limits: CacheLimits):
        """`clock` returns epoch seconds. `limits` bounds its caches, which last as long as it does."""
        self._clock, self._counters, self._limits = clock, None, limits
        self._snapshot = Snapshot(state_apart(engine._snapshot.state), limits)
