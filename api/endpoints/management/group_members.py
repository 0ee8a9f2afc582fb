"""One member of a group: `/v1/environments/{env}/groups/{id}/members/{type}/{member}`, and `…/groups/{member}`.

Each change starts from the members that are stored then, so writers of other members do not get lost.
"""

from typing import Final

import falcon
import falcon.asgi

from ...engines.live.store_work import StoreWork
from ...http.entity_tags import refuse_tags
from ...http.openapi.operation import Answer, Operation, Schema
from ...http.queries import known_parameters
from ...http.revision_tokens import REVISION
from ...identity.request_actor import actor_of
from ...store.elements.edits import ChangeMember, Committed
from ...store.elements.element_bodies import Body
from .write_warnings import show_warnings

_TAG: Final = "Groups"
_MEMBER: Final[Schema] = {"type": "object", "description": "The member: `{type, id}`, or `{group}`."}


def adding(noun: str) -> Operation:
    """Returns the operation: make a subject or a group, the `noun`, a member."""
    return Operation(
        f"add{noun.title()}ToGroup",
        _TAG,
        f"Make a {noun} a member of a group",
        {
            201: Answer(f"The {noun} is a member now.", _MEMBER),
            200: Answer(f"The {noun} was a member already.", _MEMBER),
        },
        "Others may change the group at the same time.",
    )


def removing(noun: str) -> Operation:
    """Returns the operation: take a subject or a group, the `noun`, out of a group."""
    return Operation(
        f"remove{noun.title()}FromGroup",
        _TAG,
        f"Take a {noun} out of a group",
        {204: Answer(f"The {noun} is no member any more.")},
        "Others may change the group at the same time. If it was no member: 404.",
    )


class GroupMember:
    """A member of a group: a subject, or with the suffix `group` another group."""

    def __init__(self, work: StoreWork) -> None:
        self._work = work

    async def on_put(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str, type: str, member: str
    ) -> None:
        """Answer 201 with the member, or 200 if it was one."""
        await self._add(req, resp, env, id, {"type": type, "id": member})

    async def on_delete(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str, type: str, member: str
    ) -> None:
        """Answer 204."""
        await self._remove(req, resp, env, id, {"type": type, "id": member})

    async def on_put_group(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str, member: str
    ) -> None:
        """Answer 201 with the member, or 200 if it was one."""
        await self._add(req, resp, env, id, {"group": member})

    async def on_delete_group(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str, member: str
    ) -> None:
        """Answer 204."""
        await self._remove(req, resp, env, id, {"group": member})

    async def _add(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str, member: Body) -> None:
        committed = await self._changed(req, resp, env, ChangeMember(id, member, adds=True))
        if committed.added:
            resp.status = falcon.HTTP_201
        show_warnings(resp, committed.warnings)
        resp.media = member

    async def _remove(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str, member: Body
    ) -> None:
        await self._changed(req, resp, env, ChangeMember(id, member, adds=False))
        resp.status = falcon.HTTP_204

    async def _changed(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, edit: ChangeMember
    ) -> Committed:
        known_parameters(req)
        refuse_tags(req)
        committed = await self._work.write(env, actor_of(req), (edit,))
        resp.set_header(REVISION, committed.environment.etag)
        return committed
