"""Drift: `GET /v1/environments/{env}/drift`."""

from typing import Final

import falcon
import falcon.asgi

from ....engines.live.store_work import StoreWork
from ....http.bodies import ENCODER
from ....http.openapi.operation import Answer, Operation
from ....http.queries import known_parameters
from ....store.promotions.promotion import Drift
from .promotions import TAG

GET: Final = Operation(
    "getDrift",
    TAG,
    "Read what was edited in place since the last promotion",
    {200: Answer("The drift. `baseline` is null if nothing was promoted yet.", Drift)},
)


class DriftSincePromotion:
    """The drift of an environment."""

    def __init__(self, work: StoreWork) -> None:
        self._work = work

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200."""
        known_parameters(req)
        found = await self._work.read(self._work.store.promotions.drift, env, req.context.credential.bounds)
        resp.data = ENCODER.encode(found)
