"""Engines on a stored model as it is, and as changes would make it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from ....bundles.delta import decode_delta
from ....compiler.lowering.lower_declarations import lower_declarations
from ....runtime import Engine, RateCounters
from ....runtime.limits import CacheLimits
from ....runtime.requests.registry import Registry
from ....runtime.trial_engine import TrialEngine
from ...engines.live.bound_engines import ready_engine, refuse_other
from ...engines.live.engine_access import EngineOf
from ...engines.live.store_work import SEARCHING_THREADS, StoreWork
from ...engines.work.fair_turns import FairTurns
from ...engines.work.leaving import leaving
from ...http.caller import CALLER
from ...review.testing.tested_model import COUNTER_BYTES, TestedModel
from ...review.testing.undeclared import declared_in
from ...store.actor import Actor
from ...store.elements.edits import Edit
from ...store.errors import StoreUnavailable
from ...store.trials.trial import Declared, Trial
from .tried_registry import TriedRegistry

_T = TypeVar("_T")

CACHES: Final = CacheLimits(
    specialisations=4_096,
    specialised_rules=100_000,
    subjects=4_096,
    role_sets=4_096,
    held_roles=100_000,
    filters=256,
    filter_parts=25_000,
)
"""The caches of an engine that lives for one request."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A trial with an engine of the same environment, which leads to the engines before and after it.

    `is_left` returns whether the caller is gone, so that no answer is needed.
    """

    trial: Trial
    is_left: Callable[[], bool]
    _live: Engine
    _now: float

    def before(self) -> TestedModel:
        """Returns the model as it is. Takes a moment. Raises BundleError."""
        return self._model(self.trial.before, self.trial.deltas)

    def after(self) -> TestedModel:
        """Returns the model after the changes. Takes a moment. Raises BundleError."""
        return self._model(self.trial.after, self._deltas_after())

    def explaining(self, registry: Registry) -> Engine:
        """Returns an engine after the changes that knows registered attributes (E9), and counts for no rate limit.

        `registry` is that of the store, without the changes. Raises BundleError.
        """
        return self._engine(self.trial.after, self._deltas_after(), TriedRegistry(registry, self.trial.changes))

    def _deltas_after(self) -> tuple[bytes, ...]:
        return (*self.trial.deltas, *(() if self.trial.delta is None else (self.trial.delta,)))

    def _model(self, declared: Declared, deltas: tuple[bytes, ...]) -> TestedModel:
        engine = self._engine(declared, deltas).counting(RateCounters(COUNTER_BYTES))
        return TestedModel(engine, None, declared_in(*declared))

    def _engine(self, declared: Declared, deltas: tuple[bytes, ...], registry: Registry | None = None) -> Engine:
        engine = TrialEngine(self._live, self._clock, CACHES, lower_declarations(declared.model), registry)
        engine.apply_deltas(map(decode_delta, deltas))
        return engine

    def _clock(self) -> float:
        """All answers of a request are those of one instant."""
        return self._now


class Trials:
    """Tries changes, for the event loop of one worker. `clock` gives epoch seconds."""

    def __init__(self, work: StoreWork, engine_of: EngineOf, clock: Callable[[], float]) -> None:
        self._work, self._engine_of, self._clock = work, engine_of, clock
        self._turns = FairTurns(SEARCHING_THREADS)

    async def asked(self, env: str, actor: Actor, edits: list[Edit], ask: Callable[[Tried], _T]) -> _T:
        """Returns what `ask` returns for the trial of some edits. Without edits, the trial is the model as it is.

        `ask` takes long, and runs in a thread. A few callers at a time have their turns, so that no stored test is read
        before it is about to be asked.

        Raises what `ask` raises, and what `_tried` raises.
        """
        who, left = CALLER.get(), threading.Event()
        await self._turns.take(who)
        try:
            with leaving(left.set):
                return await self._work.search(partial(ask, await self._tried(env, actor, edits, left.is_set)))
        finally:
            self._turns.give_back(who)

    async def _tried(self, env: str, actor: Actor, edits: list[Edit], is_left: Callable[[], bool]) -> Tried:
        """Returns the trial of some edits.

        Raises what `Store.try_write` and `Store.read_tests` raise, and what `ready_engine` raises.
        """
        live = (await ready_engine(self._engine_of, env)).pinned()
        refuse_other(live, actor.bounds)
        if edits:
            trial = await self._work.try_write(env, actor, edits, live.revision)
        else:
            trial = await self._work.read(self._work.store.read_tests, env, live.revision, actor.bounds)
        environment = live.manifest.environment
        if environment is None or environment.uuid != trial.environment.uuid:
            raise StoreUnavailable(f"the environment `{env}` was replaced meanwhile; try again")
        return Tried(trial, is_left, live, self._clock())
