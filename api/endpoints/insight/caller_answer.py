"""The caller of a request: `/v1/caller`."""

import math
from typing import Final, Literal

import falcon
import falcon.asgi
from msgspec import Struct

from ....bundles.conditions.instants import show_seconds
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.openapi.operation import Answer, Instant, Operation
from ...http.openapi.vocabulary import CACHE_CONTROL
from ...http.queries import known_parameters
from ...http.rejections import Unauthenticated
from ...identity.credential import Credential, Scope
from ...identity.request_actor import actor_of
from ...store.actor import PERSON_PREFIX, Actor
from ...store.environment_ids import Bounds
from ...store.errors import NotFound

PRIVATE: Final = "no-store"
"""The `Cache-Control` of an answer that belongs to one credential."""


class CallerAnswer(Struct, frozen=True):
    """The credential of the request. The administrator's key has no id and no name. A person has a session.

    `scopes` are all scopes that it covers. `environments` are the ids of those that it is bound to, or null if it is
    bound to none. `expires_at` is when Writ stops taking an access token or an API key, or null. For a session, it is
    when it ends if it is not used any more.
    """

    kind: Literal["admin_key", "api_key", "client", "person"]
    id: str | None
    name: str | None
    scopes: tuple[str, ...]
    environments: tuple[str, ...] | None
    expires_at: Instant | None


GET: Final = Operation(
    "getCaller",
    "Insight",
    "Read who asks: the credential of the request",
    {200: Answer("The credential, without its secret.", CallerAnswer, (CACHE_CONTROL,))},
)


class Caller:
    """The credential of the request."""

    def __init__(self, work: StoreWork) -> None:
        self._work = work

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200. Raises Unauthenticated if the credential was deleted just now."""
        known_parameters(req)
        credential: Credential = req.context.credential
        try:
            shown = await self._work.read_credential(self._shown, credential, actor_of(req))
        except NotFound:
            raise Unauthenticated("the credential is not known, or not any more", "invalid_token") from None
        resp.set_header("Cache-Control", PRIVATE)
        resp.data = ENCODER.encode(shown)

    def _shown(self, credential: Credential, actor: Actor) -> CallerAnswer:
        scopes = tuple(scope.name.lower() for scope in Scope if Scope.NONE < scope <= credential.scope)
        expires_at = None if credential.expires == math.inf else show_seconds(credential.expires)
        environments = self._environments(credential.bounds)
        if actor.session is not None:
            id = actor.name.removeprefix(PERSON_PREFIX)
            return CallerAnswer("person", id, actor.shown, scopes, environments, expires_at)
        if actor.api_key is not None:
            name = self._work.store.credentials.api_key(actor.api_key).name
            return CallerAnswer("api_key", actor.api_key, name, scopes, environments, expires_at)
        if actor.client is not None:
            name = self._work.store.credentials.client(actor.client).name
            return CallerAnswer("client", actor.client, name, scopes, environments, expires_at)
        return CallerAnswer("admin_key", None, None, scopes, environments, expires_at)

    def _environments(self, bounds: Bounds) -> tuple[str, ...] | None:
        if bounds is None:
            return None
        return tuple(one.id for one in self._work.store.environments() if one.uuid in bounds)
