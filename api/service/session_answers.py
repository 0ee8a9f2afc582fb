"""Keeps answers to the sessions of people out of every cache."""

import falcon.asgi

from ..identity.credential import Credential


class SessionAnswers:
    """Falcon middleware for answers to a cookie: without the header `Authorization`, a cache might share them."""

    async def process_response(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, _resource: object, _succeeded: bool
    ) -> None:
        """Adds `Cache-Control` to the answer to a person."""
        credential: Credential | None = getattr(req.context, "credential", None)
        if credential is not None and credential.session is not None:
            resp.set_header("Cache-Control", "no-store")
