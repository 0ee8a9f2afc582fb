"""`/healthz` and `/readyz`: whether the process runs, and whether it can decide."""

from typing import Any, Final

import falcon
import falcon.asgi
from msgspec import Struct

from ...engines.live.bound_engines import ready_engine
from ...engines.live.engine_access import EngineOf
from ...engines.live.preparations import Unprepared
from ...http.bodies import ENCODER
from ...http.openapi.operation import Answer, Operation
from ...store.database.versions import FORMATS, Formats, program_version
from ...store.environment_ids import DEFAULT
from ...store.errors import Stale
from .draining import REFUSAL, Draining


class HealthAnswer(Struct, frozen=True):
    """The process runs. `version` is that of Writ, `formats` has the newest formats that it reads."""

    status: str
    version: str
    formats: Formats


class ReadinessAnswer(Struct, frozen=True, omit_defaults=True):
    """The revision and the bundle that decide, or the error that prevents decisions."""

    status: str
    revision: int | None = None
    bundle: dict[str, Any] | None = None
    error: str | None = None


GET_HEALTH: Final = Operation(
    "getHealth", "Service", "Check whether the process runs", {200: Answer("The process runs.", HealthAnswer)}
)
GET_READINESS: Final = Operation(
    "getReadiness",
    "Service",
    "Check whether the service can decide, and by which revision",
    {
        200: Answer("The service can decide.", ReadinessAnswer),
        503: Answer("The service can't decide, or is about to stop.", ReadinessAnswer),
    },
)


async def is_ready(engine_of: EngineOf, draining: Draining) -> bool:
    """Returns whether the default environment can be decided, and the service is not about to stop."""
    if draining.begun():
        return False
    try:
        await ready_engine(engine_of, DEFAULT)
    except (Stale, Unprepared):
        return False
    return True


class Health:
    """Answers 200 as long as the process runs."""

    def __init__(self) -> None:
        self._body = ENCODER.encode(HealthAnswer("ok", program_version(), FORMATS))

    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200."""
        resp.data = self._body


class Readiness:
    """Answers 200 with the live revision of the default environment, or 503 if it can't decide or is about to stop."""

    def __init__(self, engine_of: EngineOf, draining: Draining) -> None:
        self._engine_of, self._draining = engine_of, draining

    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 or 503. `source` is the digest of the bundle's model. The answer never names a file."""
        if self._draining.begun():
            resp.status = falcon.HTTP_503
            resp.data = ENCODER.encode({"status": "draining", "error": REFUSAL})
            return
        try:
            engine = await ready_engine(self._engine_of, DEFAULT)
        except (Stale, Unprepared) as ex:
            resp.status = falcon.HTTP_503
            resp.data = ENCODER.encode({"status": "failing", "error": str(ex)})
            return
        manifest = engine.manifest
        bundle = {"epoch": manifest.epoch, "revision": manifest.revision, "source": manifest.source}
        resp.data = ENCODER.encode({"status": "ready", "revision": engine.revision, "bundle": bundle})
