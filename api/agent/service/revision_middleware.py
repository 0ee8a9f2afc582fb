"""The revision of an answer, and the least one that a request asks for: so a client never sees an agent go back."""

from contextvars import Token
from typing import Any, Final

import falcon.asgi

from ....runtime import Engine
from ...http.queries import number
from ...http.rejections import NotYet
from .engines import PINNED, AgentEngines

REVISION: Final = "Writ-Revision"
LEAST_REVISION: Final = "Writ-Min-Revision"
_HIGHEST: Final = 2**63 - 1


class RevisionMiddleware:
    """Falcon middleware for the decision calls: one revision for each request, told in its answer."""

    def __init__(self, engines: AgentEngines) -> None:
        self._engines = engines

    async def process_resource(
        self, req: falcon.asgi.Request, _resp: falcon.asgi.Response, resource: object, params: dict[str, Any]
    ) -> None:
        """Fixes the revision. Raises NotYet, NotFound, and BadQuery for a header that is no number."""
        if not getattr(resource, "decides", False):
            return
        least = req.get_header(LEAST_REVISION)
        wanted = 0 if least is None else number(LEAST_REVISION, least.strip(), 0, _HIGHEST)
        engine = self._engines.newest()
        self._engines.refuse_other_default(engine, params.get("env"))
        if engine.revision < wanted:
            raise NotYet(f"this agent has revision {engine.revision}, not {wanted} yet; try again, or ask another one")
        req.context.pinned = PINNED.set(engine)

    async def process_response(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, _resource: object, succeeded: bool
    ) -> None:
        """Tells the revision of a decision."""
        token: Token[Engine | None] | None = getattr(req.context, "pinned", None)
        engine = PINNED.get()
        if token is None or engine is None:
            return
        PINNED.reset(token)
        if succeeded:
            resp.set_header(REVISION, str(engine.revision))


def revision_line(engine: Engine) -> bytes:
    """Returns the header line with the revision, as the decision lane sends it."""
    return b"%s: %d\r\n" % (REVISION.lower().encode(), engine.revision)
