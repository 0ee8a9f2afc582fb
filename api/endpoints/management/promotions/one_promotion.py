"""One promotion: `/v1/environments/{env}/promotions/{id}[/approve, /reject]`."""

from typing import Final

import falcon
import falcon.asgi
import msgspec
from msgspec.structs import asdict

from ....engines.live.store_work import StoreWork
from ....http.bodies import ENCODER, JSON, Bodies
from ....http.openapi.operation import Answer, Operation
from ....http.queries import known_parameters
from ....identity.request_actor import actor_of
from ....review.people.people_answer import PeopleAnswer
from ....store.promotions.promotion import Promotion, Wanted
from ..body_shapes import shaped
from ..people.people_job import PeopleFound, found_people
from .promotion_answers import PromotionAnswers
from .promotion_job import TakeoverRequest
from .promotion_people import PROMOTION_PEOPLE
from .promotion_shapes import Approval, PromotionRecord, Rejection
from .promotions import BAD, TAG

_stored: Final = msgspec.json.Decoder(PeopleAnswer | None).decode

GET: Final = Operation(
    "getPromotion",
    TAG,
    "Read a promotion, and the exact changes of a pending one",
    {200: Answer("The promotion.", PromotionRecord)},
)
APPROVE: Final = Operation(
    "approvePromotion",
    TAG,
    "Approve a promotion that waits, and carry it out exactly as it was shown",
    {200: Answer("The promotion is in force.", Promotion)},
    "The credential that asked for it can't approve it, nor can one in the same hands: 403. If the target's"
    " policy model has changed since, or the `digest` is another one: 409.",
    bodies={JSON: Approval},
    needs_body=False,
    errors=(409,),
)
REJECT: Final = Operation(
    "rejectPromotion",
    TAG,
    "Reject a promotion that waits, or take it back",
    {200: Answer("The promotion is rejected.", Promotion)},
    bodies={JSON: Rejection},
    needs_body=False,
    errors=(409,),
)


class OnePromotion:
    """One promotion."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._work, self._bodies, self._answers = work, bodies, PromotionAnswers(work)

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str) -> None:
        """Answer 200."""
        known_parameters(req)
        actor, promotions = actor_of(req), self._work.store.promotions
        found = await self._work.read(promotions.get, env, id, actor.bounds)
        if found.status == "pending" and found.kind != "gateway":
            asked = TakeoverRequest(env, actor, Wanted(""), approves=id)
            effect = await found_people(self._work, PROMOTION_PEOPLE, asked)
        else:
            effect = PeopleFound(_stored(await self._work.read(promotions.people, env, id, actor.bounds)))
        resp.data = ENCODER.encode(PromotionRecord(**asdict(found), people=effect.people, tests=effect.tests))

    async def on_post_approval(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str) -> None:
        """Answer 200 with the promotion, which is in force."""
        known_parameters(req)
        asked = shaped(await self._bodies.read_optional_element(req), Approval, BAD)
        wanted = Wanted("", expect_digest=asked.digest)
        await self._answers.answer(resp, TakeoverRequest(env, actor_of(req), wanted, approves=id))

    async def on_post_rejection(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str) -> None:
        """Answer 200 with the promotion, which is rejected."""
        known_parameters(req)
        asked = shaped(await self._bodies.read_optional_element(req), Rejection, BAD)
        done = await self._work.change(self._work.store.promotions.reject, env, actor_of(req), id, asked.reason)
        resp.data = ENCODER.encode(done)
