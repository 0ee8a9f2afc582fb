"""Refuses decision calls that name the default environment, at an agent of another one."""

from typing import Any

import falcon.asgi

from ...store.environment_ids import DEFAULT
from .engines import AgentEngines


class DefaultEnvironment:
    """Falcon middleware for the decision calls. A path that names no environment means the agent's own."""

    def __init__(self, engines: AgentEngines) -> None:
        self._engines = engines

    async def process_resource(
        self, _req: falcon.asgi.Request, _resp: falcon.asgi.Response, resource: object, params: dict[str, Any]
    ) -> None:
        """Raises NotFound, and NotYet if the agent does not know its environment yet."""
        if getattr(resource, "decides", False) and params.get("env") == DEFAULT:
            self._engines.refuse_other_default()
