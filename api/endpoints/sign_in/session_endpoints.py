"""The sessions of people: `/v1/sessions[/{id}]`."""

from typing import Final

import falcon
import falcon.asgi
from msgspec import Struct

from ....bundles.conditions.instants import show_seconds
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.entity_tags import refuse_tags
from ...http.openapi.operation import Answer, Instant, Operation, page_of
from ...http.openapi.vocabulary import PAGE
from ...http.queries import known_parameters, page_limit
from ...identity.request_actor import actor_of
from ...settings.settings import HttpLimits
from ...store.sign_ins.session_rows import Session

_TAG: Final = "Sign-in"


class SessionAnswer(Struct, frozen=True):
    """A session of a person. It ends at `ends_at` if it is not used any more. `last_used_at` is exact to a minute.

    `environments` are the ids of those that it is bound to, or null if it is bound to none.
    """

    id: str
    person: str
    name: str
    scopes: tuple[str, ...]
    environments: tuple[str, ...] | None
    created: Instant
    last_used_at: Instant
    ends_at: Instant


LIST: Final = Operation(
    "listSessions",
    _TAG,
    "List the sessions of people by id",
    {200: Answer("A page.", page_of(SessionAnswer))},
    query=PAGE,
)
END: Final = Operation(
    "endSession",
    _TAG,
    "End a session. It is refused from now on, at each server",
    {204: Answer("The session has ended.")},
    errors=(412,),
)


class Sessions:
    """The list of sessions."""

    def __init__(self, work: StoreWork, limits: HttpLimits) -> None:
        self._work, self._limits = work, limits

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 with a page of the sessions that the caller may end, by id."""
        asked = known_parameters(req, "limit", "cursor")
        limit, bounds = page_limit(asked, self._limits.page_items), req.context.credential.bounds
        found, cursor = await self._work.read(self._work.store.sign_ins.sessions, bounds, limit, asked.get("cursor"))
        resp.data = ENCODER.encode({"items": list(map(_shown, found)), "next_cursor": cursor})


class OneSession:
    """One session."""

    def __init__(self, work: StoreWork) -> None:
        self._work = work

    async def on_delete(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, id: str) -> None:
        """Answer 204. From now on, every server refuses the session."""
        known_parameters(req)
        refuse_tags(req)
        await self._work.change(self._work.store.sign_ins.end, actor_of(req), id)
        resp.status = falcon.HTTP_204


def _shown(one: Session) -> SessionAnswer:
    times = map(show_seconds, (one.created, one.used, one.until))
    return SessionAnswer(one.id, one.person.id, one.person.name, one.scopes, one.environments, *times)
