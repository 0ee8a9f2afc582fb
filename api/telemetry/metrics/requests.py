"""Counts the requests that the application answers: each by the route that it took, and by its status."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from time import perf_counter_ns
from typing import Any, Final, TypeAlias

import falcon.asgi

from ...http.request_id import fields_with_id
from ..log_lines import HEADERS
from .counter_layout import NO_ROUTE
from .counts import Counts, RequestCells

ROUTE: Final = "writ.route"
"""The key in the scope of a request for its path template and method, once its route is known."""

GATEWAY_METHOD: Final = "any"
"""Stands for the method of a gateway's request, which may have any."""

MOST_CELLS: Final = 4_096
"""The routes and statuses whose counters are remembered. No service has so many."""

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Any]]
Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]


class CountedRoutes:
    """Falcon middleware that notes the route of a request. HEAD counts as GET."""

    async def process_resource(
        self, req: falcon.asgi.Request, _resp: falcon.asgi.Response, _resource: object, _params: dict[str, Any]
    ) -> None:
        """Notes the route."""
        req.scope[ROUTE] = req.uri_template or "", "GET" if req.method == "HEAD" else req.method


class CountedApplication:
    """The ASGI application before the others. It counts each answer, with all the time until its end.

    Lines of the log that a request causes name it.
    """

    def __init__(self, behind: Callable[[Any, Receive, Send], Awaitable[None]], counts: Counts) -> None:
        self._behind, self._counts = behind, counts
        self._cells: dict[tuple[tuple[str, str], int], RequestCells] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request (ASGI). One whose client is gone before its answer begins is not counted."""
        began, status = perf_counter_ns(), 0
        HEADERS.set(fields_with_id(scope))

        async def watched(event: dict[str, Any]) -> None:
            nonlocal status
            if event["type"] == "http.response.start":
                status = event["status"]
            await send(event)

        try:
            await self._behind(scope, receive, watched)
        except asyncio.CancelledError:
            raise
        except Exception:
            status = status or HTTPStatus.INTERNAL_SERVER_ERROR  # the connection answers it
            raise
        finally:
            if status:
                self._counts.answered(self._cells_of(scope.get(ROUTE, NO_ROUTE), status), began)

    def _cells_of(self, route: tuple[str, str], status: int) -> RequestCells:
        """PERF: clients may send any method, so not everything is remembered."""
        found = self._cells.get((route, status))
        if found is None:
            found = self._counts.cells_of(route, status)
            if len(self._cells) < MOST_CELLS:
                self._cells[route, status] = found
        return found
