"""Environments: `/v1/environments[/{env}]`."""

from typing import Final

import falcon
import falcon.asgi
from msgspec import UNSET
from msgspec.structs import asdict

from ....engines.live.store_work import StoreWork
from ....http.bodies import ENCODER, JSON, Bodies
from ....http.entity_tags import refuse_tags
from ....http.openapi.operation import Answer, Operation, page_of
from ....http.openapi.vocabulary import LOCATION, PAGE, PART
from ....http.queries import known_parameters, page_limit
from ....http.raw_paths import segment
from ....identity.request_actor import actor_of
from ....settings.settings import HttpLimits
from ....store.actor import Actor
from ....store.environments import Environment, EnvironmentChange
from ....store.finding.finding import read_part
from ....store.finding.folding import fold
from ....store.pages import cursor_after, read_cursor
from ..body_shapes import shaped
from ..elements import MERGE_PATCH
from ..management_shapes import EnvironmentAnswer, EnvironmentPatch, NewEnvironment

_LIST = "environments"
_TAG: Final = "Environments"

LIST: Final = Operation(
    "listEnvironments",
    _TAG,
    "List the environments by id",
    {200: Answer("A page.", page_of(EnvironmentAnswer))},
    query=(*PAGE, PART),
)
CREATE: Final = Operation(
    "createEnvironment",
    _TAG,
    "Make an environment",
    {201: Answer("The environment. It has no model yet, so it denies every request.", EnvironmentAnswer, (LOCATION,))},
    bodies={JSON: NewEnvironment},
    errors=(409,),
)
GET: Final = Operation(
    "getEnvironment", _TAG, "Read an environment", {200: Answer("The environment.", EnvironmentAnswer)}
)
PATCH: Final = Operation(
    "patchEnvironment",
    _TAG,
    "Change the settings of an environment",
    {200: Answer("The changed environment.", EnvironmentAnswer)},
    "The default environment stays protected: 409. Only the administrator's key takes away `promotion_only`,"
    " `tests_must_pass` and `approvals`: else 403.",
    bodies={MERGE_PATCH: EnvironmentPatch, JSON: EnvironmentPatch},
    errors=(409, 412),
)
DELETE: Final = Operation(
    "deleteEnvironment",
    _TAG,
    "Delete an environment with its model and its history",
    {204: Answer("The environment is deleted.")},
    "The default environment and protected ones can't be deleted: 409.",
    errors=(409, 412),
)


class Environments:
    """The list of environments. A POST makes a new one."""

    def __init__(self, work: StoreWork, bodies: Bodies, limits: HttpLimits) -> None:
        self._work, self._bodies, self._limits = work, bodies, limits

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 with a page of the environments that the caller may see, by id."""
        asked = known_parameters(req, "limit", "cursor", "q")
        limit, folded = page_limit(asked, self._limits.page_items), read_part(asked.get("q", ""))
        behind = read_cursor(_LIST, asked["cursor"], 1)[0] if "cursor" in asked else ""
        bounds = req.context.credential.bounds
        everything = await self._work.read(self._work.store.environments)
        seen = (one for one in everything if bounds is None or one.uuid in bounds)
        found = [one for one in seen if one.id > behind and folded in fold(one.id)]
        cursor = cursor_after(_LIST, (found[limit - 1].id,)) if len(found) > limit else None
        resp.data = ENCODER.encode({"items": [shown_environment(one) for one in found[:limit]], "next_cursor": cursor})

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 201 with the new environment. It has no model yet, so it denies every request.

        Raises:
            OutOfBounds: the caller is bound to environments, and so can't make one.
        """
        known_parameters(req)
        wanted = shaped(await self._bodies.read_element(req), NewEnvironment, "bad-environment")
        made = await self._work.to_its_end(self._make(actor_of(req), wanted))
        resp.status = falcon.HTTP_201
        resp.set_header("Location", f"/v1/environments/{segment(made.id)}")
        resp.data = ENCODER.encode(shown_environment(made))

    async def _make(self, actor: Actor, wanted: NewEnvironment) -> Environment:
        settings = settings_of(wanted)
        made = await self._work.change(self._work.store.create_environment, actor, wanted.id, settings)
        await self._work.activate(made.id)
        return made


class OneEnvironment:
    """One environment."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._work, self._bodies = work, bodies

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200."""
        known_parameters(req)
        found = await self._work.read(self._work.store.environment, env, req.context.credential.bounds)
        resp.data = ENCODER.encode(shown_environment(found))

    async def on_patch(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with the patched environment (RFC 7396)."""
        known_parameters(req)
        refuse_tags(req)
        body = await self._bodies.read_element(req, (MERGE_PATCH, JSON))
        patch = shaped(body, EnvironmentPatch, "bad-environment")
        store = self._work.store
        change = change_of(patch)
        if change.given():
            found = await self._work.change(store.change_environment, actor_of(req), env, change)
        else:
            found = await self._work.read(store.environment, env, req.context.credential.bounds)
        resp.data = ENCODER.encode(shown_environment(found))

    async def on_delete(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 204. The model and the history are deleted too."""
        known_parameters(req)
        refuse_tags(req)
        await self._work.change(self._work.store.delete_environment, actor_of(req), env)
        resp.status = falcon.HTTP_204


def settings_of(wanted: NewEnvironment) -> EnvironmentChange:
    """Returns the settings of a new environment, for the store."""
    return EnvironmentChange(**{name: one for name, one in asdict(wanted).items() if name != "id"})


def change_of(patch: EnvironmentPatch) -> EnvironmentChange:
    """Returns what a merge patch sets, for the store."""
    return EnvironmentChange(**{name: one for name, one in asdict(patch).items() if one is not UNSET})


def shown_environment(environment: Environment) -> EnvironmentAnswer:
    """Returns an environment in the shape of the answer."""
    return EnvironmentAnswer(**{name: getattr(environment, name) for name in EnvironmentAnswer.__struct_fields__})
