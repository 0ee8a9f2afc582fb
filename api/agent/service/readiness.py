"""`/readyz` of an agent: what it decides by, and how fresh that is."""

import math
from typing import Any

import falcon
import falcon.asgi

from ...endpoints.decisions.draining import REFUSAL, Draining
from ...http.bodies import ENCODER
from .engines import FollowedEngine


class AgentReadiness:
    """Answers 200 if something is in force and not stale, else 503. Both tell the revision, the age and the error.

    It also answers 503 if the agent is about to stop.
    """

    def __init__(self, following: FollowedEngine, draining: Draining) -> None:
        self._following, self._draining = following, draining

    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 or 503. The answer never names a file."""
        status = self._following.status()
        draining = self._draining.begun()
        found: dict[str, Any] = {
            "status": "draining" if draining else "ready" if status.is_ready else "failing",
            "state": status.state,
            "revision": status.revision,
            "epoch": status.epoch,
            "age_seconds": None if status.age is None else round(status.age, 3),
            "stale_seconds": round(status.staleness, 3) if math.isfinite(status.staleness) else None,
            "error": REFUSAL if draining else status.error,
        }
        if draining or not status.is_ready:
            resp.status = falcon.HTTP_503
        resp.data = ENCODER.encode({name: value for name, value in found.items() if value is not None})
