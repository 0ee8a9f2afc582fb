"""Keeps web pages from an agent that admits everybody on its machine."""

from typing import Any

import falcon.asgi

from ...http.rejections import Forbidden


class NoBrowsers:
    """Falcon middleware that refuses decision calls of web pages, by the header that browsers add to each POST.

    A page of another site can't send JSON without asking first. But with its own name that leads to this machine
    (DNS rebinding), its site and the agent look the same to the browser, and the page could read decisions.
    """

    async def process_resource(
        self, req: falcon.asgi.Request, _resp: falcon.asgi.Response, _resource: object, _params: dict[str, Any]
    ) -> None:
        """Raises Forbidden."""
        if req.method == "POST" and req.get_header("Origin") is not None:
            raise Forbidden("web pages can't call an agent without callers; name them by `--callers`")
