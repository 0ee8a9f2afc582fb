"""`POST /access/v1/evaluations`: many decisions in one request (authzen.md 25-41)."""

from collections.abc import Callable

import falcon.asgi

from api.batch import Members, answers, read_batch
from api.bodies import ENCODER, Bodies
from api.limits import HttpLimits


class Evaluations:
    """Decides the items of a batch one by one, inline, all of them as of one instant."""

    def __init__(
        self,
        decide: Callable[[Members, float | None], Members],
        clock: Callable[[], float],
        bodies: Bodies,
        limits: HttpLimits,
        report: Callable[[Exception], None],
    ) -> None:
        """`decide` takes a request and epoch seconds, which `clock` gives; `report` gets an item's failure."""
        self._decide = decide
        self._clock = clock
        self._bodies = bodies
        self._limits = limits
        self._report = report

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 with a decision an item, or with a bare one where the body has no items (26)."""
        body = await self._bodies.read_object(req)
        batch = read_batch(body, self._limits.batch_items)
        if batch is None:
            resp.data = ENCODER.encode(self._decide(body, None))
        else:
            now = self._clock()
            most_explained = self._limits.explained_candidates
            answered = answers(batch, lambda request: self._decide(request, now), self._report, most_explained)
            resp.data = ENCODER.encode({"evaluations": answered})
