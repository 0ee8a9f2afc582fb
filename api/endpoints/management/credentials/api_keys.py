"""API keys: `/v1/api-keys[/{id}[/rotate, /old-keys]]`."""

from typing import Final

import falcon
import falcon.asgi
from msgspec.structs import asdict

from .....bundles.conditions.instants import from_seconds, parse_instant, show_instant
from ....engines.live.store_work import StoreWork
from ....http.bodies import ENCODER, JSON, Bodies
from ....http.entity_tags import refuse_tags
from ....http.openapi.operation import Answer, Operation, page_of
from ....http.openapi.vocabulary import CACHE_CONTROL, LOCATION, PAGE, PART
from ....http.queries import known_parameters
from ....http.rejections import BodyRejected
from ....identity.credential import Credential
from ....identity.credential_shapes import ApiKeyAnswer, ApiKeyWithSecret, NewApiKey, NewKey, in_order
from ....identity.request_actor import actor_of
from ....identity.secret_format import API_KEY, new_secret
from ....settings.settings import HttpLimits
from ....store.credential_rows import ApiKey
from ....store.credentials.credential_states import CredentialState
from ....store.credentials.credentials import ApiKeySpec
from ....store.credentials.old_secrets import Overlap
from ..body_shapes import shaped
from .managed_credentials import END_OLD, NO_STORE, answer_page, refuse_higher_scopes, shown_old, state_parameter

_TAG: Final = "API keys"

_STATES: Final = tuple(CredentialState)

LIST: Final = Operation(
    "listApiKeys",
    _TAG,
    "List the API keys by id",
    {200: Answer("A page.", page_of(ApiKeyAnswer))},
    query=(*PAGE, PART, state_parameter(*_STATES)),
)
CREATE: Final = Operation(
    "createApiKey",
    _TAG,
    "Make an API key",
    {201: Answer("The key. It is shown only in this answer.", ApiKeyWithSecret, (LOCATION, CACHE_CONTROL))},
    "The new key can't have more scopes or environments than its maker: else 403.",
    bodies={JSON: NewApiKey},
)
GET: Final = Operation(
    "getApiKey", _TAG, "Read an API key", {200: Answer("The API key, without its secret.", ApiKeyAnswer)}
)
ROTATE: Final = Operation(
    "rotateApiKey",
    _TAG,
    "Give an API key a new secret",
    {200: Answer("The new key. It is shown only in this answer.", ApiKeyWithSecret, (CACHE_CONTROL,))},
    "The old key lives on for `overlap_seconds`. A key that has expired needs another `expires_at`: else 409. So does"
    " one with five old keys that still work.",
    bodies={JSON: NewKey},
    errors=(409,),
    needs_body=False,
)
END_OLD_KEYS: Final = Operation("endOldApiKeys", _TAG, "End the overlap of an API key now", {204: END_OLD})
DELETE: Final = Operation(
    "deleteApiKey",
    _TAG,
    "Delete an API key. It is refused from now on",
    {204: Answer("The API key is deleted.")},
    errors=(412,),
)


class ApiKeys:
    """The list of API keys. A POST makes a new one."""

    def __init__(self, work: StoreWork, bodies: Bodies, limits: HttpLimits) -> None:
        self._work, self._bodies, self._limits = work, bodies, limits

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 with a page of the keys that the caller may manage, by id."""
        rows = self._work.store.credentials.api_keys
        await answer_page(req, resp, self._work, self._limits, rows, "api_keys", _shown, _STATES)

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 201 with the new key. It is shown only in this answer."""
        known_parameters(req)
        wanted = shaped(await self._bodies.read_element(req), NewApiKey, "bad-api-key")
        maker: Credential = req.context.credential
        scopes = in_order(wanted.scopes)
        refuse_higher_scopes(scopes, maker)
        expires = None if wanted.expires_at is None else _future(wanted.expires_at, self._work.now())
        key, digest = new_secret(API_KEY)
        made = await self._work.change(
            self._work.store.credentials.add_api_key,
            actor_of(req),
            ApiKeySpec(wanted.name, scopes, expires, wanted.environments),
            digest,
        )
        resp.status = falcon.HTTP_201
        resp.set_header("Location", f"/v1/api-keys/{made.id}")
        _show_key(resp, made, key)


class OneApiKey:
    """One API key."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._work, self._bodies = work, bodies

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, id: str) -> None:
        """Answer 200, without the key itself."""
        known_parameters(req)
        found = await self._work.read(self._work.store.credentials.api_key, id, req.context.credential.bounds)
        resp.data = ENCODER.encode(_shown(found))

    async def on_delete(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, id: str) -> None:
        """Answer 204. From now on, every worker refuses the key."""
        known_parameters(req)
        refuse_tags(req)
        await self._work.change(self._work.store.credentials.delete_api_key, actor_of(req), id)
        resp.status = falcon.HTTP_204

    async def on_post_rotation(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, id: str) -> None:
        """Answer 200 with the new key. The old one lives on for the overlap."""
        known_parameters(req)
        wanted = shaped(await self._bodies.read_optional_element(req), NewKey, "bad-rotation")
        now, expires = self._work.now(), wanted.expires_at
        if isinstance(expires, str):
            expires = _future(expires, now, "bad-rotation")
        key, digest = new_secret(API_KEY)
        rotate, overlap = self._work.store.credentials.rotate_api_key, Overlap(wanted.overlap_seconds, now)
        _show_key(resp, await self._work.change(rotate, actor_of(req), id, digest, overlap, expires), key)

    async def on_delete_old(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, id: str) -> None:
        """Answer 204. From now on, every worker refuses the replaced keys."""
        known_parameters(req)
        await self._work.change(self._work.store.credentials.end_old_keys, actor_of(req), id)
        resp.status = falcon.HTTP_204


def _future(text: str, now: float, code: str = "bad-api-key") -> str:
    """Returns an instant of the future, in UTC. Raises BodyRejected if it is past or can't be read."""
    try:
        instant = parse_instant(text)
    except ValueError as ex:
        raise BodyRejected(code, str(ex), "$.expires_at") from None
    if instant <= from_seconds(now):
        raise BodyRejected(code, "`expires_at` must be in the future", "$.expires_at")
    return show_instant(instant)


def _show_key(resp: falcon.asgi.Response, made: ApiKey, key: str) -> None:
    resp.set_header("Cache-Control", NO_STORE)
    resp.data = ENCODER.encode(ApiKeyWithSecret(**asdict(_shown(made)), key=key))


def _shown(key: ApiKey) -> ApiKeyAnswer:
    uses = key.last_used, key.secret_used, shown_old(key.old_secrets)
    return ApiKeyAnswer(key.id, key.name, key.scopes, key.environments, key.created, key.expires_at, *uses)
