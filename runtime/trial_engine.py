"""An engine on which changes can be tried, while another one decides."""

from collections.abc import Callable
from dataclasses import replace

from ..bundles.declarations.declarations import Declarations
from ..bundles.program.demands import Demands
from .engine import Engine
from .limits import CacheLimits
from .requests.registry import Registry
from .snapshot import Snapshot
from .state.overlay import overlay_of, state_apart
from .strictness.strict_requests import StrictRequests


class TrialEngine(Engine):
    """An engine at the revision of another one, and apart from it. It counts for no rate limit (C10).

    Both share the mapped bundle, and nothing that either computes: caches and the numbers of new names are its own. So
    deltas that are put into force here leave no trace there, and any thread may make one, also while another thread
    puts deltas into force there.
    """

    def __init__(
        self,
        engine: Engine,
        clock: Callable[[], float],
        limits: CacheLimits,
        declarations: Declarations | None = None,
        registry: Registry | None = None,
    ):
        """`clock` returns epoch seconds. `limits` bounds its caches, which last as long as it does.

        If `declarations` are given, they count, and not those of the bundle (C12, C13, E8).
        Without a `registry`, no request can ask for registered attributes (E9).
        """
        self._clock, self._counters, self._registry, self._limits = clock, None, registry, limits
        self._strict = engine._strict
        state = state_apart(engine._snapshot.state)
        if declarations is not None:
            state = replace(overlay_of(state), other_demands=Demands(declarations))
        self._snapshot = Snapshot(state, limits, strict=self._strict)
        if declarations is not None:
            self._snapshot.strict_requests = StrictRequests(declarations, self._snapshot.rules.types)
