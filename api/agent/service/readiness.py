"""`/readyz` of an agent: what it decides by, and how fresh that is."""

import math
from typing import Any

import falcon
import falcon.asgi

from ...endpoints.decisions.draining import REFUSAL, Draining
from ...http.bodies import ENCODER
from .all_workers import AllWorkers
from .engines import FollowedEngine


class AgentReadiness:
    """Answers 200 if each worker has something in force that is not stale, else 503. Both tell the revision, the age
    and the error.

    It also answers 503 if the agent is about to stop.
    """

    def __init__(self, following: FollowedEngine, draining: Draining, all_workers: AllWorkers) -> None:
        self._following, self._draining, self._all_workers = following, draining, all_workers

    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 or 503. The answer never names a file."""
        status, draining = self._following.status(), self._draining.begun()
        others = self._all_workers.refusal() if status.is_ready else None
        is_ready = status.is_ready and others is None
        found: dict[str, Any] = {
            "status": "draining" if draining else "ready" if is_ready else "failing",
            "state": status.state,
            "revision": status.revision,
            "epoch": status.epoch,
            "age_seconds": None if status.age is None else round(status.age, 3),
            "stale_seconds": round(status.staleness, 3) if math.isfinite(status.staleness) else None,
            "error": REFUSAL if draining else others or status.error,
        }
        if draining or not is_ready:
            resp.status = falcon.HTTP_503
        resp.data = ENCODER.encode({name: value for name, value in found.items() if value is not None})
