"""Promotions and drift: `/v1/environments/{env}/promotions` and `/v1/environments/{env}/drift`."""

from typing import Final

import falcon
import falcon.asgi

from ....engines.live.store_work import StoreWork
from ....http.bodies import ENCODER, JSON, Bodies
from ....http.openapi.operation import Answer, Operation, Parameter, page_of
from ....http.openapi.vocabulary import LOCATION, PAGE
from ....http.queries import flag, known_parameters, page_limit
from ....identity.request_actor import actor_of
from ....settings.settings import HttpLimits
from ....store.promotions.promotion import Drift, Promotion, Wanted
from ..body_shapes import shaped
from .promotion_answers import PromotionAnswers
from .promotion_job import TakeoverRequest
from .promotion_shapes import NewPromotion, PreviewAnswer

TAG: Final = "Promotions"
BAD: Final = "bad-promotion"
"""The code of a body that does not fit."""

LIST: Final = Operation(
    "listPromotions",
    TAG,
    "List the promotions and restorations, newest first",
    {200: Answer("A page.", page_of(Promotion))},
    query=(
        Parameter("pending", "Only those that wait for an approval.", {"type": "boolean", "default": False}),
        *PAGE,
    ),
)
CREATE: Final = Operation(
    "promote",
    TAG,
    "Take over the policy model of another environment",
    {
        200: Answer("With `dry_run`: what the promotion would do.", PreviewAnswer),
        201: Answer("The promotion is in force.", Promotion, (LOCATION,)),
        202: Answer("The promotion waits for an approval.", Promotion, (LOCATION,)),
    },
    "Groups, subjects, resources, assignments and grants stay as they are. If something still uses what the promotion"
    " removes, or the target was edited in place, the answer is 409 with `details`, and for edits with the `drift`.",
    bodies={JSON: NewPromotion},
    errors=(409,),
)
GET_DRIFT: Final = Operation(
    "getDrift",
    TAG,
    "Read what was edited in place since the last promotion",
    {200: Answer("The drift. `baseline` is null if nothing was promoted yet.", Drift)},
)


class PromotionList:
    """The promotions of an environment. A POST asks for one."""

    def __init__(self, work: StoreWork, bodies: Bodies, limits: HttpLimits) -> None:
        self._work, self._bodies, self._limits = work, bodies, limits
        self._answers = PromotionAnswers(work)

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with a page of promotions."""
        asked = known_parameters(req, "pending", "limit", "cursor")
        limit, bounds = page_limit(asked, self._limits.page_items), req.context.credential.bounds
        listed, pending = self._work.store.promotions.list, flag(asked, "pending")
        found, cursor = await self._work.read(listed, env, limit, asked.get("cursor"), bounds, pending)
        resp.data = ENCODER.encode({"items": found, "next_cursor": cursor})

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 201 with the promotion, 202 if it waits for an approval, or with `dry_run` 200 with a preview."""
        known_parameters(req)
        asked = shaped(await self._bodies.read_element(req), NewPromotion, BAD)
        wanted = Wanted(asked.source, asked.note, asked.accept_drift, asked.expect_digest, asked.renames)
        await self._answers.answer(resp, TakeoverRequest(env, actor_of(req), wanted, asked.dry_run))

    async def on_get_drift(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200."""
        known_parameters(req)
        found = await self._work.read(self._work.store.promotions.drift, env, req.context.credential.bounds)
        resp.data = ENCODER.encode(found)
