"""Explains a decision, and what an ALLOW lacks: `/v1/environments/{env}/explain`."""

from functools import partial
from typing import Any, Final

import falcon
import falcon.asgi
from msgspec import Struct

from ....runtime import Engine
from ...engines.live.bound_engines import engine_for
from ...engines.live.engine_access import EngineOf
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.openapi.operation import Answer, Operation
from ...http.queries import known_parameters
from ...review.wording.needs import needs, overridden_by
from ...review.wording.prose import asking_why, decisive_proof, explained
from ..decisions.deciding import Deciding
from ..decisions.decision_shapes import DecisionContext, EvaluationRequest


class PolicyNeeds(Struct, frozen=True):
    """An ALLOW policy that did not hold, by id, and what all must come true for it to hold, in words.

    If the subject lacks its roles, its conditions were not tried. The last text says so if it has any.
    """

    id: str
    missing: tuple[str, ...]


class ExplainAnswer(Struct, frozen=True):
    """A decision with its explanation, the explanation in sentences, and what a denied request lacks.

    A sentence that begins with two spaces and a hyphen is about a condition of the policy before it. `overridden_by`
    are the ids of the DENY policies that hold.
    """

    decision: bool
    context: DecisionContext
    sentences: tuple[str, ...]
    needs: tuple[PolicyNeeds, ...]
    overridden_by: tuple[str, ...]


EXPLAIN: Final = Operation(
    "explain",
    "Insight",
    "Explain what an evaluation would answer, and what a denied request lacks",
    {200: Answer("The explanation.", ExplainAnswer)},
    "It is no decision: it counts for no rate limit and no metric, and is not in the decision log.",
    bodies={JSON: EvaluationRequest},
)


class Explanation:
    """Explains what an evaluation would answer."""

    def __init__(self, engine_of: EngineOf, bodies: Bodies, deciding: Deciding) -> None:
        self._engine_of, self._bodies, self._deciding = engine_of, bodies, deciding

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200, also for a denial. Raises BadRequest for what an evaluation would refuse."""
        known_parameters(req)
        body = await self._bodies.read_object(req)
        engine = (await engine_for(req, self._engine_of, env)).uncounted()
        found = await self._deciding.explain(engine, partial(explained_answer, engine, body))
        resp.data = ENCODER.encode(found)


def explained_answer(engine: Engine, body: dict[str, Any]) -> dict[str, Any]:
    """Returns an ExplainAnswer as a dictionary. Raises BadRequest for what an evaluation would refuse."""
    answer = engine.decide(asking_why(body))
    proof = decisive_proof(answer) or {}
    lacks_roles = not answer["decision"] and proof["lacking"]
    conditional = engine.conditional(body["resource"]["type"], body["action"]["name"]) if lacks_roles else ()
    return {
        **answer,
        "sentences": list(explained(answer)),
        "needs": [PolicyNeeds(*need) for need in needs(answer, conditional)],
        "overridden_by": overridden_by(answer),
    }
