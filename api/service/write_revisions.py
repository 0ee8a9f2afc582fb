"""Tells the revision of an environment on the answer to every write in it."""

from contextlib import suppress
from typing import Any

import falcon.asgi

from ..engines.live.store_work import StoreWork
from ..http.revision_tokens import REVISION
from ..store.errors import NotFound, StoreUnavailable
from .routes.all_routes import WRITES


class WriteRevisions:
    """Falcon middleware. It reads the revision where the handler has not told it."""

    def __init__(self, work: StoreWork) -> None:
        self._work = work

    async def process_resource(
        self, req: falcon.asgi.Request, _resp: falcon.asgi.Response, _resource: object, params: dict[str, Any]
    ) -> None:
        """Keeps the environment of a write."""
        if (req.uri_template, req.method) in WRITES:
            req.context.written = params["env"]

    async def process_response(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, _resource: object, succeeded: bool
    ) -> None:
        """Tells the current revision after a write. An environment that the write deleted has none."""
        env: str | None = getattr(req.context, "written", None)
        if env is None or not succeeded or resp.get_header(REVISION) is not None:
            return
        with suppress(NotFound, StoreUnavailable):  # the write is stored, whatever happens here
            read = self._work.store.environment
            resp.set_header(REVISION, (await self._work.read(read, env, req.context.credential.bounds)).etag)
