"""`POST /access/v1/evaluations`: many decisions in one request (authzen.md 25-41)."""

from collections.abc import Callable, Iterator
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
from .slices import in_slices

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
    """Decides the items of a batch in slices on the event loop, all as of one instant and one revision."""

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
        if batch is None:
            resp.data = ENCODER.encode(engine.decide(body))
            return
        # A commit between two slices does not change the model of the later items.
        items = self._items(engine.pinned(), batch, lambda error: self._report(error, env))
        resp.data = ENCODER.encode({"evaluations": await in_slices(items)})

    def at_once(self, engine: Engine, body: dict[str, object]) -> object | None:
        """Returns the decisions, or None if they may take long or one of them fails (see `lane`)."""
        batch = read_batch(body, self._limits.batch_items)
        if explains(body) or (batch is not None and len(batch.items) > ITEMS_AT_ONCE):
            return None
        if batch is None:
            return engine.decide(body)
        return {"evaluations": list(self._items(engine, batch, _leave))}

    def _items(self, engine: Engine, batch: Batch, report: Callable[[Exception], None]) -> Iterator[object]:
        now = self._clock()
        return answers(batch, lambda request: engine.decide(request, now), report, self._limits.explanation_bytes)


def _leave(error: Exception) -> None:
    """Leave a batch with a failed item to the application, which reports the failure."""
    raise error
