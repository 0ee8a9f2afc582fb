"""Environments, and one of them: `/v1/environments[/{env}]`."""

from dataclasses import asdict
from typing import Any, TypeVar

import falcon
import falcon.asgi
import msgspec
from msgspec import UNSET

from api.bodies import ENCODER, JSON
from api.management.answers import EnvironmentAnswer, EnvironmentPatch, NewEnvironment
from api.management.elements import MERGE_PATCH, Serving
from api.management.etags import refuse_tags
from api.management.queries import known_parameters, page_limit
from api.raw_paths import segment
from api.rejections import BodyRejected
from api.store.environments import Environment
from api.store.paging import cursor_behind, read_cursor

_LIST = "environments"
_T = TypeVar("_T")


class Environments:
    """All environments, and a new one."""

    def __init__(self, serving: Serving) -> None:
        self._work, self._bodies, self._limits = serving.work, serving.bodies, serving.limits

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 with a page of them, by id."""
        asked = known_parameters(req, "limit", "cursor")
        limit = page_limit(asked, self._limits.page_items)
        behind = read_cursor(_LIST, asked["cursor"], 1)[0] if "cursor" in asked else ""
        found = [one for one in await self._work.read(self._work.store.environments) if one.id > behind]
        cursor = cursor_behind(_LIST, (found[limit - 1].id,)) if len(found) > limit else None
        resp.data = ENCODER.encode({"items": [_shown(one) for one in found[:limit]], "next_cursor": cursor})

    on_head = on_get

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 201 with the new environment, which has no model yet, so that all is denied in it."""
        known_parameters(req)
        wanted = _read(await self._bodies.read_element(req), NewEnvironment)
        made = await self._work.to_its_end(self._make(wanted))
        resp.status = falcon.HTTP_201
        resp.set_header("Location", f"/v1/environments/{segment(made.id)}")
        resp.data = ENCODER.encode(_shown(made))

    async def _make(self, wanted: NewEnvironment) -> Environment:
        made = await self._work.change(self._work.store.create_environment, wanted.id, wanted.protected)
        await self._work.settle(made.id)
        return made


class OneEnvironment:
    """One environment."""

    def __init__(self, serving: Serving) -> None:
        self._work, self._bodies = serving.work, serving.bodies

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200."""
        known_parameters(req)
        resp.data = ENCODER.encode(_shown(await self._work.read(self._work.store.environment, env)))

    on_head = on_get

    async def on_patch(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with the environment as the merge patch left it (RFC 7396)."""
        known_parameters(req)
        refuse_tags(req)
        patch = _read(await self._bodies.read_element(req, (MERGE_PATCH, JSON)), EnvironmentPatch)
        store = self._work.store
        if patch.protected is UNSET:
            found = await self._work.read(store.environment, env)
        else:
            found = await self._work.change(store.protect_environment, env, patch.protected)
        resp.data = ENCODER.encode(_shown(found))

    async def on_delete(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 204; it is gone with all that was in it, its history too."""
        known_parameters(req)
        refuse_tags(req)
        await self._work.change(self._work.store.delete_environment, env)
        resp.status = falcon.HTTP_204


def _shown(environment: Environment) -> EnvironmentAnswer:
    members = asdict(environment)
    del members["number"]
    return EnvironmentAnswer(**members)


def _read(body: dict[str, Any], shape: type[_T]) -> _T:
    """Raises BodyRejected."""
    try:
        return msgspec.convert(body, shape)
    except msgspec.ValidationError as ex:
        message, _, path = str(ex).partition(" - at ")
        raise BodyRejected("bad-environment", message[:1].lower() + message[1:], path.strip("`") or "$") from None
