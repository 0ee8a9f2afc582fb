"""`GET /openapi.json`: what is served here, for programs."""

import falcon.asgi

from ..http.bodies import ENCODER
from .document import document


class OpenApi:
    """The document, made once."""

    def __init__(self) -> None:
        self._text = ENCODER.encode(document())

    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200."""
        resp.data = self._text

    on_head = on_get
