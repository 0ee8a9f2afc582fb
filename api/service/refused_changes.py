"""Lets no refused change tell what another server does not see yet."""

from http import HTTPStatus
from typing import Any

import falcon.asgi

from ..engines.live.store_work import StoreWork
from .routes.all_routes import CHANGES


class RefusedChanges:
    """Falcon middleware. A refusal says what is stored: a 404 to the second attempt says that the first one was done.

    So it waits for the other servers, as a change does.
    """

    def __init__(self, work: StoreWork) -> None:
        self._work = work

    async def process_resource(
        self, req: falcon.asgi.Request, _resp: falcon.asgi.Response, _resource: object, params: dict[str, Any]
    ) -> None:
        """Notes that the guard has admitted a change, and of which environment."""
        req.context.changes = (req.uri_template, req.method) in CHANGES
        req.context.changed_environment = params.get("env")

    async def process_response(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, _resource: object, succeeded: bool
    ) -> None:
        """Waits before a refusal is answered. Raises StoreUnavailable."""
        is_refused = not succeeded and resp.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
        if is_refused and getattr(req.context, "changes", False):
            await self._work.confirm(req.context.changed_environment)
