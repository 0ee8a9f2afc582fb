"""`POST /v1/authorize`: the short form of an evaluation, single or as a list."""

from http import HTTPStatus
from typing import Any, Final

import falcon.asgi

from ....bundles.wording import quoted
from ....runtime import Engine
from ....runtime.requests.error_items import error_item
from ...engines.live.bound_engines import engine_for
from ...engines.live.engine_access import EngineOf
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.openapi.operation import Answer, Operation
from ...http.rejections import BodyRejected
from ...store.environment_ids import DEFAULT
from ...telemetry.decision_log.decision_log import Log, asker_of, begin
from ...telemetry.decision_log.entry import EntryKind, Moment
from .batch import Batch
from .deciding import Deciding
from .decision_shapes import Authorization, Authorizations, AuthorizeRequest, AuthorizeRequests
from .evaluations import Evaluations

AUTHORIZE: Final = Operation(
    "authorize",
    "Decisions",
    "Decide one question, or many, in the short form",
    {200: Answer("The decision. With `requests`, one for each, in order.", {"anyOf": [Authorizations, Authorization]})},
    bodies={JSON: {"anyOf": [AuthorizeRequests, AuthorizeRequest]}},
)

SHORT: Final = "/v1/authorize"
"""The path in the default environment."""

_MEMBERS: Final = frozenset({"subject", "action", "resource", "context"})
_NAMED: Final = ("subject", "resource")


class Authorize:
    """Turns the short form into evaluations, and the answers back."""

    decides = True

    def __init__(
        self, engine_of: EngineOf, bodies: Bodies, deciding: Deciding, evaluations: Evaluations, decision_log: Log
    ) -> None:
        """`evaluations` decides lists. The decision log has the evaluations, not the short form."""
        self._engine_of, self._bodies, self._deciding, self._many = engine_of, bodies, deciding, evaluations
        self._log = decision_log

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str = DEFAULT) -> None:
        """Answer 200 with the decision, also for a denial. A bad request of a list gets an error in its place."""
        body = await self._bodies.read_object(req)
        if "requests" not in body:
            question = evaluation_of(body)
            engine = await engine_for(req, self._engine_of, env)
            moment = begin(self._log, req)
            decision = await self._deciding.decide(engine, question, req.context.is_long, moment.now)
            resp.data = ENCODER.encode(short_answer(decision))
            self._keep(EntryKind.EVALUATION, moment, engine, question, decision, req)
            return
        read = short_requests(body, self._many.most_items)
        questions: list[object] = [one for one in read if isinstance(one, dict)]
        engine = await engine_for(req, self._engine_of, env)
        moment, batch = begin(self._log, req), Batch(questions, {}, None)
        self._deciding.counts.decided_many(engine, [None] * (len(read) - len(questions)))
        decisions = await self._many.decide_all(engine, batch, env, req.context.is_long, moment.now)
        found = iter(decisions)
        results = (next(found) if isinstance(one, dict) else error_item(HTTPStatus.BAD_REQUEST, one) for one in read)
        resp.data = ENCODER.encode({"results": [*map(short_answer, results)]})
        self._keep(EntryKind.ITEM, moment, engine, {"evaluations": questions}, {"evaluations": decisions}, req)

    def _keep(
        self, kind: EntryKind, moment: Moment, engine: Engine, asked: object, answer: object, req: falcon.asgi.Request
    ) -> None:
        if self._log.is_on:
            self._log.keep(kind, moment, engine, ENCODER.encode(asked), ENCODER.encode(answer), asker_of(req))


def short_requests(body: dict[str, Any], most: int) -> list[dict[str, Any] | str]:
    """Returns the evaluation of each of `requests`, or why it can't be read: the others are decided all the same.

    Raises BodyRejected if there are other members, or if `requests` is no list or has more than `most` items.
    """
    if len(body) > 1:
        raise BodyRejected("invalid-request", "beside `requests` there is no other member", "$")
    requests = body["requests"]
    if not isinstance(requests, list):
        raise BodyRejected("wrong-type", "`requests` must be an array", "$.requests")
    if len(requests) > most:
        message = f"`requests` has {len(requests)} items, the limit is {most}"
        raise BodyRejected("too-many-items", message, "$.requests")
    found: list[dict[str, Any] | str] = []
    for one in requests:
        try:
            found.append(evaluation_of(one))
        except BodyRejected as ex:
            found.append(ex.detail.message)
    return found


def evaluation_of(short: Any) -> dict[str, Any]:
    """Returns the evaluation request of a short one. Raises BodyRejected.

    A subject and a resource are `TYPE:ID`. The first `:` ends the type, so an id may have more of them.
    """
    if not isinstance(short, dict):
        raise BodyRejected("invalid-request", "a request is an object", "$")
    for name in short:
        if name not in _MEMBERS:
            raise BodyRejected("invalid-request", f"there is no member {quoted(name)} in the short form", "$")
    for name in ("subject", "action", "resource"):
        if not isinstance(short.get(name), str):
            raise BodyRejected("invalid-request", f"`{name}` must be a string", f"$.{name}")
    found: dict[str, Any] = {"action": {"name": short["action"]}}
    for name in _NAMED:
        type, colon, id = short[name].partition(":")
        if not (type and colon and id):
            raise BodyRejected("invalid-request", f"`{name}` is a type and an id, like `user:alice`", f"$.{name}")
        found[name] = {"type": type, "id": id}
    if short.get("context") is not None:
        found["context"] = short["context"]
    return found


def short_answer(decision: Any) -> dict[str, Any]:
    """Returns a decision in the short form."""
    context = decision["context"]
    if "error" in context:
        return {"allowed": False, "error": context["error"]}
    return {"allowed": decision["decision"], "reason": context["reason"], "reason_code": context["reason_code"]}
