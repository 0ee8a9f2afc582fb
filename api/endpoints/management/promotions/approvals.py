"""Approvals: `POST /v1/environments/{env}/promotions/{id}/approve` and `…/reject`."""

from typing import Final

import falcon
import falcon.asgi

from ....engines.live.store_work import StoreWork
from ....http.bodies import ENCODER, JSON, Bodies
from ....http.openapi.operation import Answer, Operation
from ....http.queries import known_parameters
from ....identity.request_actor import actor_of
from ....store.promotions.promotion import Promotion, Wanted
from ..body_shapes import shaped
from .promotion_job import TakeoverRequest
from .promotion_services import TakingOver
from .promotion_shapes import Approval, Rejection
from .promotions import BAD, TAG

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


class PromotionApproval:
    """The approval of a promotion."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._bodies, self._taking_over = bodies, TakingOver(work)

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str) -> None:
        """Answer 200 with the promotion, which is in force."""
        known_parameters(req)
        asked = shaped(await self._bodies.read_optional_element(req), Approval, BAD)
        wanted = Wanted("", expect_digest=asked.digest)
        await self._taking_over.answer(resp, TakeoverRequest(env, actor_of(req), wanted, approves=id))


class PromotionRejection:
    """The rejection of a promotion."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._work, self._bodies = work, bodies

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str) -> None:
        """Answer 200 with the promotion, which is rejected."""
        known_parameters(req)
        asked = shaped(await self._bodies.read_optional_element(req), Rejection, BAD)
        done = await self._work.change(self._work.store.promotions.reject, env, actor_of(req), id, asked.reason)
        resp.data = ENCODER.encode(done)
