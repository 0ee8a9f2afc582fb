"""`POST /access/v1/evaluations`: many decisions in one request (authzen.md 25-41)."""

from collections.abc import Callable
from typing import Final

import falcon.asgi

from ...runtime import Engine
from ..http.bodies import ENCODER, JSON, Bodies
from ..openapi.operation import Answer, Operation
from ..serving.bound_engines import engine_for
from ..serving.live_engines import EngineOf
from ..settings import HttpLimits
from ..store.environments import DEFAULT
from .batch import Batch, answers, read_batch
from .decision_shapes import Decision, Decisions, EvaluationsRequest
from .evaluation import explains

ITEMS_AT_ONCE: Final = 100
"""A batch with more items is left to the application."""

EVALUATE_MANY: Final = Operation(
    "evaluateMany",
    "Decisions",
    "Decide many questions as of one instant",
    {200: Answer("The decisions. Without `evaluations`, one decision.", {"anyOf": [Decisions, Decision]})},
    bodies={JSON: EvaluationsRequest},
)


class Evaluations:
    """Decides the items of a batch one by one on the event loop, all as of one instant."""

    def __init__(
        self,
        engine_of: EngineOf,
        clock: Callable[[], float],
        bodies: Bodies,
        limits: HttpLimits,
        report: Callable[[Exception, str], None],
    ) -> None:
        """`clock` gives epoch seconds; `report` gets an item's failure and its environment."""
        self._engine_of = engine_of
        self._clock = clock
        self._bodies = bodies
        self._limits = limits
        self._report = report

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str = DEFAULT) -> None:
        """Answer 200 with a decision per item, or with a single decision if the body has no items (26)."""
        body = await self._bodies.read_object(req)
        batch = read_batch(body, self._limits.batch_items)
        engine = engine_for(req, self._engine_of, env)
        resp.data = ENCODER.encode(self._answer(engine, body, batch, lambda error: self._report(error, env)))

    def at_once(self, engine: Engine, body: dict[str, object]) -> object | None:
        """Returns the decisions, or None if they may take long or one of them fails (see `lane`)."""
        batch = read_batch(body, self._limits.batch_items)
        if explains(body) or (batch is not None and len(batch.items) > ITEMS_AT_ONCE):
            return None
        return self._answer(engine, body, batch, _leave)

    def _answer(
        self, engine: Engine, body: dict[str, object], batch: Batch | None, report: Callable[[Exception], None]
    ) -> object:
        if batch is None:
            return engine.decide(body)
        now = self._clock()
        limit = self._limits.explained_candidates
        return {"evaluations": answers(batch, lambda request: engine.decide(request, now), report, limit)}


def _leave(error: Exception) -> None:
    """Leave a batch with a failed item to the application, which reports the failure."""
    raise error
