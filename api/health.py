"""`/healthz` and `/readyz`: whether the process lives, and what it decides from."""

import falcon.asgi

from api.bodies import ENCODER
from runtime import Engine


class Health:
    """200 as long as anything answers at all."""

    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200."""
        resp.data = b'{"status":"ok"}'

    on_head = on_get


class Readiness:
    """200 with the facts of the bundle in force."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200; `source` is the digest of the model that the bundle was compiled from."""
        manifest = self._engine.manifest
        bundle = {"epoch": manifest.epoch, "revision": manifest.revision, "source": manifest.source}
        resp.data = ENCODER.encode({"status": "ready", "bundle": bundle})

    on_head = on_get
