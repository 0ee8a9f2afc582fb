"""`GET /openapi.json`: the OpenAPI document."""

from typing import Any, Final

import falcon.asgi

from ..bodies import ENCODER
from .operation import Answer, Operation

GET: Final = Operation(
    "getOpenApi", "Service", "Read this document", {200: Answer("The document.", {"type": "object"})}
)


class OpenApi:
    """The document, encoded once."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._text = ENCODER.encode(document)

    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200."""
        resp.data = self._text
