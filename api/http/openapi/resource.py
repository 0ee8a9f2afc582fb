"""`GET /openapi.json`: the OpenAPI document."""

import hashlib
from typing import Any, Final

import falcon.asgi

from ..bodies import ENCODER
from ..entity_tags import is_known
from ..pace import Pace
from .operation import Answer, Operation
from .vocabulary import ETAG, IF_NONE_MATCH, UNCHANGED

GET: Final = Operation(
    "getOpenApi",
    "Service",
    "Read this document",
    {200: Answer("The document.", {"type": "object"}, (ETAG,)), 304: UNCHANGED},
    headers=(IF_NONE_MATCH,),
    errors=(400,),
)

PAUSE_SECONDS: Final = 0.01
"""The time between two copies of the document from one worker. Decisions wait for its half megabyte."""


class OpenApi:
    """The document, encoded once."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._text = ENCODER.encode(document)
        self._tag = hashlib.sha256(self._text).hexdigest()[:32]
        self._pace = Pace(PAUSE_SECONDS)

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200, or 304 if the client has the document already.

        Raises:
            BadQuery: `If-None-Match` can't be read.
        """
        known = is_known(req, self._tag)
        resp.etag = self._tag
        if known:
            resp.status = falcon.HTTP_304
        else:
            resp.data = await self._pace.make(self._copy)

    async def _copy(self) -> bytes:
        return self._text
