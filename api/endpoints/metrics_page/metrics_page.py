"""`GET /metrics`: the metrics as text."""

from typing import Final

import falcon.asgi

from ...http.openapi.operation import TEXT, Answer, Operation
from .metrics_answering import MetricsAnswering

GET_METRICS: Final = Operation(
    "getMetrics",
    "Service",
    "Read the metrics",
    {200: Answer("The metrics in Prometheus' text format, or in OpenMetrics.", TEXT, media=("text/plain",))},
    "A credential that is bound to environments sees the metrics of these environments alone.",
)


class MetricsPage:
    """Answers the sums of all workers. A bound credential gets what belongs to its environments."""

    def __init__(self, metrics: MetricsAnswering) -> None:
        self._answering = metrics

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200."""
        resp.data, resp.content_type = await self._answering.answer(
            req.get_header("Accept") or "", req.context.credential.bounds
        )


class OpenMetricsPage:
    """Answers everything to everybody. It is for an address that only a monitoring system can reach."""

    def __init__(self, metrics: MetricsAnswering) -> None:
        self._answering = metrics

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200."""
        resp.data, resp.content_type = await self._answering.answer(req.get_header("Accept") or "", None)

    async def on_head(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200. The server leaves the body out."""
        await self.on_get(req, resp)
