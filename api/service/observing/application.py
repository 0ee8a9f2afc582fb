"""The ASGI application around all others. It passes each answered request to the access log and to traces."""

import asyncio
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from time import perf_counter_ns
from typing import Any

from ...http.caller import CALLER, SERVICE
from ...http.request_id import id_in
from ...telemetry.metrics.requests import ROUTE, Receive, Scope, Send
from .answered import Observer, answer_of


class ObservedApplication:
    """Reports each answer after its end, but not one whose client is gone before its answer begins."""

    def __init__(self, behind: Callable[[Any, Receive, Send], Awaitable[None]], observer: Observer) -> None:
        self._behind, self._observer = behind, observer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request (ASGI)."""
        began, status, size = perf_counter_ns(), 0, 0
        CALLER.set(SERVICE)  # an earlier request of the connection may have noted another one

        async def watched(event: dict[str, Any]) -> None:
            nonlocal status, size
            if event["type"] == "http.response.start":
                status = event["status"]
            else:
                size += len(event.get("body", b""))
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
                is_head = scope["method"] == "HEAD"
                route = scope.get(ROUTE, ("", ""))[0], scope["method"]
                fields = dict(scope["headers"])
                is_secure = scope["scheme"] == "https"
                length = 0 if is_head else size
                told = answer_of(route, int(status), began, length, fields, is_secure, id_in(scope))
                self._observer.answered(told)
