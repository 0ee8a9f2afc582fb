"""Tells who can do an action on a resource, and under which conditions: `/v1/environments/{env}/who-can`."""

from typing import Final, Literal

import falcon.asgi
import msgspec
from msgspec import Struct

from ...engines.live.store_work import StoreWork
from ...http.bodies import JSON, Bodies
from ...http.openapi.operation import Answer, Operation
from ...http.queries import known_parameters
from ...review.asking.slips import slip_in
from ...review.asking.who_can_answer import nobody
from ...review.asking.who_can_request import read_who_can
from ...review.testing.undeclared import declared_in
from ..decisions.decision_shapes import ActionSent, Attributes, Identifier
from .asking_who_can import WHO_CAN, WhoCanAnswer, WhoCanCall


class SubjectsAsked(Struct, frozen=True):
    """The type of the subjects."""

    type: Identifier


class ResourceAsked(Struct, frozen=True, omit_defaults=True):
    """A resource, with at most one of `id`, `external_id` and `name`. Without one, it is any resource of the type."""

    type: Identifier
    id: Identifier | None = None
    external_id: Identifier | None = None
    name: Identifier | None = None
    properties: Attributes | None = None
    attributes: Attributes | None = None


class WhoCanOptions(Struct, frozen=True, omit_defaults=True):
    """With `attributes`, the registered attributes of the resource count where the question sends none."""

    attributes: Literal["registered"] | None = None


class WhoCanRequest(Struct, frozen=True, omit_defaults=True):
    """Which subjects may do this action, and under which conditions? What the question does not send is open.

    Without `subject`, it is about subjects of all types.
    """

    action: ActionSent
    resource: ResourceAsked
    subject: SubjectsAsked | None = None
    context: Attributes | None = None
    options: WhoCanOptions | None = None


ASK: Final = Operation(
    "whoCan",
    "Insight",
    "Tell who can do an action on a resource, and under which conditions",
    {200: Answer("The subjects, by the conditions that are left open.", WhoCanAnswer)},
    "It is no decision: it counts for no rate limit and no metric, and is not in the decision log.",
    bodies={JSON: WhoCanRequest},
)


class WhoCanQuestions:
    """Answers in a process apart, since a whole model is analysed."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._work, self._bodies = work, bodies

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200. Raises BadRequest for a malformed question."""
        known_parameters(req)
        body, now = await self._bodies.read_object(req), self._work.now()
        question, _ = read_who_can(body, now)
        bounds = req.context.credential.bounds
        environment, declared = await self._work.read(self._work.store.insight.declared, env, bounds)
        if (slip := slip_in(body, declared_in(*declared))) is not None:  # before the work on a whole model
            members = msgspec.structs.asdict(nobody(question, slip))
            resp.data = msgspec.json.encode(WhoCanAnswer(**members, revision=environment.revision))
            return
        found = await self._work.jobs.run(WHO_CAN, WhoCanCall(environment.id, environment.uuid, body, now))
        resp.data = bytes(found.answer)
