"""`POST /access/v1/evaluation`: one decision (authzen.md 13-16)."""

import falcon.asgi

from api.batch import Decide
from api.bodies import ENCODER, Bodies


class Evaluation:
    """Decides inline: a decision takes microseconds, less than a thread would cost."""

    def __init__(self, decide: Decide, bodies: Bodies) -> None:
        self._decide = decide
        self._bodies = bodies

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 with the decision; a denial is one too (15)."""
        resp.data = ENCODER.encode(self._decide(await self._bodies.read_object(req)))
