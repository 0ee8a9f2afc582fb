"""`/healthz` and `/readyz`: whether the process lives, and what it decides from."""

from typing import Any, Final

import falcon
import falcon.asgi
from msgspec import Struct

from ..http.bodies import ENCODER
from ..openapi.operation import Answer, Operation
from ..serving.live_engines import EngineOf, Stale
from ..store.environments import DEFAULT


class HealthAnswer(Struct, frozen=True):
    """The process lives."""

    status: str


class ReadinessAnswer(Struct, frozen=True, omit_defaults=True):
    """What is decided from."""

    status: str
    revision: int | None = None
    bundle: dict[str, Any] | None = None
    error: str | None = None


GET_HEALTH: Final = Operation(
    "getHealth", "Service", "Ask whether the process lives", {200: Answer("It does.", HealthAnswer)}
)
GET_READINESS: Final = Operation(
    "getReadiness",
    "Service",
    "Ask whether decisions can be made, and from what",
    {200: Answer("They can.", ReadinessAnswer), 503: Answer("They can't.", ReadinessAnswer)},
)


class Health:
    """200 as long as anything answers at all."""

    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200."""
        resp.data = b'{"status":"ok"}'


class Readiness:
    """200 with what is in force in the default environment, 503 where nothing can be decided."""

    def __init__(self, engine_of: EngineOf) -> None:
        self._engine_of = engine_of

    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer; `source` is the digest of the model that the bundle was compiled from. Nothing here names a file."""
        try:
            engine = self._engine_of(DEFAULT)
        except Stale as ex:
            resp.status = falcon.HTTP_503
            resp.data = ENCODER.encode({"status": "failing", "error": str(ex)})
            return
        manifest = engine.manifest
        bundle = {"epoch": manifest.epoch, "revision": manifest.revision, "source": manifest.source}
        resp.data = ENCODER.encode({"status": "ready", "revision": engine.revision, "bundle": bundle})
