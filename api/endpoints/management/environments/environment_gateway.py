"""The gateway settings of an environment: `/v1/environments/{env}/gateway`."""

from typing import Final

import falcon
import falcon.asgi

from .....bundles.routing.settings import GatewaySettings
from ....engines.live.store_work import StoreWork
from ....http.bodies import ENCODER, JSON, Bodies
from ....http.entity_tags import refuse_tags
from ....http.openapi.operation import Answer, Operation
from ....http.queries import known_parameters
from ....identity.request_actor import actor_of
from ....store.actor import Actor
from ....store.environments import Environment
from ....store.gateway_changes import no_gateway
from ..body_shapes import shaped

_TAG: Final = "Environments"

GET: Final = Operation(
    "getGateway",
    _TAG,
    "Read the gateway settings",
    {200: Answer("The settings. 404 if there are none.", GatewaySettings)},
)
PUT: Final = Operation(
    "putGateway",
    _TAG,
    "Replace the gateway settings",
    {200: Answer("The settings.", GatewaySettings)},
    "They say which input from a gateway Writ believes, so only an administrator changes them.",
    bodies={JSON: GatewaySettings},
    errors=(412,),
)
DELETE: Final = Operation(
    "deleteGateway",
    _TAG,
    "Remove the gateway settings",
    {204: Answer("The environment has no gateway settings any more: Writ believes no gateway about a subject.")},
    errors=(412,),
)


class GatewaySettingsOfEnvironment:
    """The gateway settings of one environment."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._work, self._bodies = work, bodies

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200, or 404 if there are no settings."""
        known_parameters(req)
        found = await self._work.read(self._work.store.gateway, env, req.context.credential.bounds)
        if found is None:
            raise no_gateway(env)
        resp.data = ENCODER.encode(found)

    async def on_put(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with the settings, which replace those before. They are in force for the next request."""
        known_parameters(req)
        refuse_tags(req)
        settings = shaped(await self._bodies.read_element(req), GatewaySettings, "bad-gateway")
        await self._work.to_its_end(self._change(actor_of(req), env, settings))
        resp.data = ENCODER.encode(settings)

    async def on_delete(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 204."""
        known_parameters(req)
        refuse_tags(req)
        await self._work.to_its_end(self._change(actor_of(req), env, None))
        resp.status = falcon.HTTP_204

    async def _change(self, actor: Actor, env: str, settings: GatewaySettings | None) -> Environment:
        changed = await self._work.change(self._work.store.change_gateway, actor, env, settings)
        await self._work.activate(env)
        return changed
