"""The people who signed in, whom histories name by their ids: `/v1/people[/{id}[/sessions]]`."""

from typing import Final

import falcon
import falcon.asgi
from msgspec import Struct

from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.entity_tags import refuse_tags
from ...http.openapi.operation import Answer, Operation, page_of
from ...http.openapi.vocabulary import PAGE
from ...http.queries import known_parameters, page_limit
from ...identity.request_actor import actor_of
from ...settings.settings import HttpLimits
from ...store.environment_ids import refuse_outside
from ...store.sign_ins.session_rows import Person

_TAG: Final = "Sign-in"


class PersonAnswer(Struct, frozen=True):
    """A person. Logs have `person:` and the `id` as the actor. `name` is the one of the last sign-in."""

    id: str
    name: str
    issuer: str
    subject: str


LIST: Final = Operation(
    "listPeople",
    _TAG,
    "List the people who signed in, by id",
    {200: Answer("A page.", page_of(PersonAnswer))},
    query=PAGE,
)
GET: Final = Operation("getPerson", _TAG, "Read a person who signed in", {200: Answer("The person.", PersonAnswer)})

END_SESSIONS: Final = Operation(
    "endSessionsOfPerson",
    _TAG,
    "End every session of a person. They are refused from now on, at each server",
    {204: Answer("The person has no session.")},
    errors=(412,),
)


class People:
    """The list of people."""

    def __init__(self, work: StoreWork, limits: HttpLimits) -> None:
        self._work, self._limits = work, limits

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 with a page of people, by id. Raises OutOfBounds: people belong to no environment."""
        refuse_outside(None, req.context.credential.bounds)
        asked = known_parameters(req, "limit", "cursor")
        limit = page_limit(asked, self._limits.page_items)
        found, cursor = await self._work.read(self._work.store.sign_ins.people, limit, asked.get("cursor"))
        resp.data = ENCODER.encode({"items": list(map(_shown, found)), "next_cursor": cursor})


class OnePerson:
    """One person."""

    def __init__(self, work: StoreWork) -> None:
        self._work = work

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, id: str) -> None:
        """Answer 200. Raises NotFound."""
        known_parameters(req)
        resp.data = ENCODER.encode(_shown(await self._work.read(self._work.store.sign_ins.person, id)))


class SessionsOfPerson:
    """The sessions of one person."""

    def __init__(self, work: StoreWork) -> None:
        self._work = work

    async def on_delete(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, id: str) -> None:
        """Answer 204. Raises NotFound, and OutOfBounds for a caller that is bound: people belong to no environment."""
        known_parameters(req)
        refuse_tags(req)
        await self._work.change(self._work.store.sign_ins.end_all, actor_of(req), id)
        resp.status = falcon.HTTP_204


def _shown(one: Person) -> PersonAnswer:
    return PersonAnswer(one.id, one.name, one.issuer, one.subject)
