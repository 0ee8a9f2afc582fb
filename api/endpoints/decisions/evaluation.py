"""`POST /access/v1/evaluation`: one decision (authzen.md 13-16)."""

from typing import Final

import falcon.asgi

from ....runtime import Engine
from ...engines.live.bound_engines import engine_for
from ...engines.live.engine_access import EngineOf
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.openapi.operation import Answer, Operation
from ...store.environment_ids import DEFAULT
from ...telemetry.decision_log.decision_log import Log, asker_of, begin
from ...telemetry.decision_log.entry import EntryKind
from .deciding import Deciding, explaining_to
from .decision_shapes import Decision, EvaluationRequest
from .lane_answers import LaneAnswer

EVALUATE: Final = Operation(
    "evaluate",
    "Decisions",
    "Decide one question",
    {200: Answer("The decision.", Decision)},
    bodies={JSON: EvaluationRequest},
)

_KIND: Final = EntryKind.EVALUATION  # PERF: to find a member of an enumeration takes as long as a call


class Evaluation:
    """Decides on the event loop if it can: most decisions take microseconds, less than a switch to a thread."""

    decides = True

    def __init__(self, engine_of: EngineOf, bodies: Bodies, deciding: Deciding, decision_log: Log) -> None:
        """"""
        self._engine_of = engine_of
        self._bodies = bodies
        self._deciding = deciding
        self._log = decision_log

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str = DEFAULT) -> None:
        """Answer 200 with the decision, also for a denial (15)."""
        body = await self._bodies.read_object(req)
        engine = await engine_for(req, self._engine_of, env)
        if explains(body):
            engine = explaining_to(req.context.credential, engine)
        moment = begin(self._log, req)
        resp.data = ENCODER.encode(await self._deciding.decide(engine, body, req.context.is_long, moment.now))
        self._log.keep(EntryKind.EVALUATION, moment, engine, req.context.body, resp.data, asker_of(req))

    def at_once(self, engine: Engine, body: bytes, now: float | None = None) -> LaneAnswer | None:
        """Returns the decision and counts it, or returns None if it may take long (see `lane`)."""
        asked = self._bodies.plain.evaluation(body)
        answer = None if asked is None else engine.answer(asked, now)
        if answer is not None:
            code, encoded = answer.reason_code, answer.encoded
        else:
            request = self._bodies.decoded(body)
            if explains(request):
                return None
            decision = engine.decide(request, now)
            code, encoded = decision["context"]["reason_code"], ENCODER.encode(decision)
        self._deciding.counts.decided(engine, code)
        return _KIND, encoded


def explains(body: dict[str, object]) -> bool:
    """Returns whether a request asks for anything beside the decision: a proof takes much longer."""
    return body.get("options") is not None
