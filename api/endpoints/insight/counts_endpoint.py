"""The number of elements in an environment: `/v1/environments/{env}/counts`."""

from typing import Final

import falcon
import falcon.asgi
from msgspec import Struct

from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.openapi.operation import Answer, Operation
from ...http.queries import known_parameters
from ..management.management_shapes import Count


class CountsAnswer(Struct, frozen=True):
    """The number of elements of each list of the model document, at a revision."""

    revision: Count
    counts: dict[str, Count]


GET: Final = Operation(
    "getCounts",
    "Insight",
    "Count the elements of each list of the model",
    {200: Answer("The counts.", CountsAnswer)},
)


class ElementCounts:
    """The counts of an environment."""

    def __init__(self, work: StoreWork) -> None:
        self._work = work

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200."""
        known_parameters(req)
        found = await self._work.read(self._work.store.insight.counts, env, req.context.credential.bounds)
        resp.data = ENCODER.encode(CountsAnswer(found.revision, dict(found.counts)))
