"""Runs a takeover for an endpoint, makes it live, and answers."""

import asyncio

import falcon
import falcon.asgi
from msgspec.structs import replace

from ....engines.live.store_work import StoreWork
from ....http.raw_paths import segment
from ..people.people_job import found_people
from .promotion_job import TAKEOVER, TakeoverRequest
from .promotion_people import PROMOTION_PEOPLE

_STATUS = {"previewed": falcon.HTTP_200, "pending": falcon.HTTP_202, "done": falcon.HTTP_201}


class PromotionAnswers:
    """The parts that the endpoints of promotions share."""

    def __init__(self, work: StoreWork) -> None:
        self._work = work

    async def answer(self, resp: falcon.asgi.Response, request: TakeoverRequest) -> None:
        """Answer 200 for a preview, 201 for a promotion that is done, 202 for one that waits.

        An approval is answered 200.
        """
        begun = asyncio.Event()
        status, id = await self._work.to_its_end(self._taken_over(resp, request, begun), begun.is_set)
        resp.status = falcon.HTTP_200 if request.approves else _STATUS[status]
        if status in ("pending", "done"):
            resp.set_header("Location", f"/v1/environments/{segment(request.env)}/promotions/{id}")

    async def _taken_over(
        self, resp: falcon.asgi.Response, request: TakeoverRequest, begun: asyncio.Event
    ) -> tuple[str, str]:
        effect = await found_people(self._work, PROMOTION_PEOPLE, request)
        judged = replace(request, people=effect.people, tests=effect.tests)
        done, primary = await self._work.jobs.run_stored(TAKEOVER, judged, begins=begun.set)
        if done.status == "done":
            await self._work.activate(request.env, primary)
        resp.data = bytes(done.answer)
        return done.status, done.id
