"""One promotion: `/v1/environments/{env}/promotions/{id}[/approve, /reject]`."""

from typing import Final

import falcon
import falcon.asgi

from ....engines.live.store_work import StoreWork
from ....http.bodies import ENCODER, JSON, Bodies
from ....http.openapi.operation import Answer, Operation
from ....http.queries import known_parameters
from ....identity.request_actor import actor_of
from ....store.promotions.promotion import Promotion, PromotionDetail, Wanted
from ..body_shapes import shaped
from .promotion_answers import PromotionAnswers
from .promotion_job import TakeoverRequest
from .promotion_shapes import Approval, Rejection
from .promotions import BAD, TAG

GET: Final = Operation(
    "getPromotion",
    TAG,
    "Read a promotion, and the exact changes of a pending one",
    {200: Answer("The promotion.", PromotionDetail)},
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
        found = await self._work.read(self._work.store.promotions.get, env, id, req.context.credential.bounds)
        resp.data = ENCODER.encode(found)

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
