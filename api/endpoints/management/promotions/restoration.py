"""Restoration: `POST /v1/environments/{env}/revisions/{revision}/restore`."""

from typing import Final

import falcon
import falcon.asgi

from ....engines.live.store_work import StoreWork
from ....http.bodies import JSON, Bodies
from ....http.openapi.operation import Answer, Operation
from ....http.openapi.vocabulary import LOCATION
from ....http.queries import known_parameters
from ....identity.credential import Scope
from ....identity.request_actor import actor_of
from ....store.promotions.promotion import Promotion, Wanted
from ..body_shapes import shaped
from ..revisions import revision_number
from .promotion_answers import PromotionAnswers
from .promotion_job import TakeoverRequest
from .promotion_shapes import NewRestoration, PreviewAnswer
from .promotions import BAD, TAG

RESTORE: Final = Operation(
    "restoreRevision",
    TAG,
    "Go back to the policy model of an earlier revision",
    {
        200: Answer("With `dry_run`: what the restoration would do.", PreviewAnswer),
        201: Answer("The restoration is in force, as a new revision.", Promotion, (LOCATION,)),
        202: Answer("The restoration waits for an approval.", Promotion, (LOCATION,)),
    },
    "All else stays as it is. It overwrites edits in place. If something still uses what it removes, the answer is 409."
    " An environment that changes by promotion only needs the scope `admin`.",
    bodies={JSON: NewRestoration},
    needs_body=False,
    errors=(409,),
)


class Restoration:
    """The restoration of a revision's policy model."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._bodies, self._answers = bodies, PromotionAnswers(work)

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, revision: str) -> None:
        """Answer 201 with the restoration, 202 if it waits for an approval, or with `dry_run` 200 with a preview."""
        known_parameters(req)
        number, asker = revision_number(revision), req.context.credential
        asked = shaped(await self._bodies.read_optional_element(req), NewRestoration, BAD)
        wanted = Wanted(env, asked.note, expect_digest=asked.expect_digest)
        request = TakeoverRequest(env, actor_of(req), wanted, asked.dry_run, number, asker.scope >= Scope.ADMIN)
        await self._answers.answer(resp, request)
