"""The gateway settings of an environment: `/v1/environments/{env}/gateway`."""

from typing import Final

import falcon
import falcon.asgi

from .....bundles.routing.settings import GatewaySettings
from ....engines.live.store_work import StoreWork
from ....http.bodies import ENCODER, JSON, Bodies
from ....http.entity_tags import refuse_tags
from ....http.openapi.operation import Answer, Operation
from ....http.openapi.vocabulary import LOCATION
from ....http.queries import known_parameters
from ....http.raw_paths import segment
from ....identity.request_actor import actor_of
from ....store.actor import Actor
from ....store.gateway_changes import no_gateway
from ....store.promotions.promotion import Promotion
from ..body_shapes import shaped

_TAG: Final = "Environments"
_WAITING: Final = Answer(
    "The change waits for an approval, since the environment has `approvals`.", Promotion, (LOCATION,)
)

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
    {200: Answer("The settings.", GatewaySettings), 202: _WAITING},
    "They say which input from a gateway Writ believes, so only an administrator changes them.",
    bodies={JSON: GatewaySettings},
    errors=(409, 412),
)
DELETE: Final = Operation(
    "deleteGateway",
    _TAG,
    "Remove the gateway settings",
    {
        204: Answer("The environment has no gateway settings any more: Writ believes no gateway about a subject."),
        202: _WAITING,
    },
    errors=(409, 412),
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
        """Answer 200 with the settings, which replace those before and are in force for the next request, or 202."""
        known_parameters(req)
        refuse_tags(req)
        settings = shaped(await self._bodies.read_element(req), GatewaySettings, "bad-gateway")
        resp.data = ENCODER.encode(settings)
        await self._work.to_its_end(self._change(resp, actor_of(req), env, settings))

    async def on_delete(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 204, or 202."""
        known_parameters(req)
        refuse_tags(req)
        resp.status = falcon.HTTP_204
        await self._work.to_its_end(self._change(resp, actor_of(req), env, None))

    async def _change(
        self, resp: falcon.asgi.Response, actor: Actor, env: str, settings: GatewaySettings | None
    ) -> None:
        changed = await self._work.change(self._work.store.change_gateway, actor, env, settings)
        if not isinstance(changed, Promotion):
            await self._work.activate(env)
            return
        resp.status, resp.data = falcon.HTTP_202, ENCODER.encode(changed)
        resp.set_header("Location", f"/v1/environments/{segment(env)}/promotions/{changed.id}")
