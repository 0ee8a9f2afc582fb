"""Stored policy tests: `/v1/environments/{env}/tests[/{id}]`."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import uuid4

import falcon
import falcon.asgi
from msgspec import UNSET, Struct, UnsetType

from ....bundles.conditions.values import Json
from ....bundles.wording import quoted, show_path
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.entity_tags import expected_tags, is_known, required_tag, wants_new
from ...http.openapi.operation import Answer, Operation, page_of
from ...http.openapi.vocabulary import ETAG, IF_MATCH, IF_NONE_MATCH, LOCATION, PAGE, PART, UNCHANGED
from ...http.queries import known_parameters, page_limit
from ...http.raw_paths import segment
from ...identity.request_actor import actor_of
from ...review.testing.shapes import Id, PolicyTest, StoredTests
from ...review.testing.stored import check_stored, count_checks
from ...settings.settings import HttpLimits
from ...store.errors import BodyFault, Rejected
from ...store.policy_tests import NewSet, StoredSet, refuse_long

TAG: Final = "Policy tests"


class NewTests(Struct, frozen=True, forbid_unknown_fields=True):
    """A set of tests to store. Without an `id`, Writ makes one, or takes that of the path."""

    tests: tuple[PolicyTest, ...]
    id: Id | UnsetType = UNSET
    now: Json = None


_STORED: Final = Answer("The tests.", StoredTests, (ETAG,))
_MADE: Final = Answer("The new tests.", StoredTests, (LOCATION, ETAG))

LIST: Final = Operation(
    "listTests",
    TAG,
    "List the stored policy tests by id",
    {200: Answer("A page.", page_of(StoredTests))},
    query=(*PAGE, PART),
)
CREATE: Final = Operation(
    "createTests",
    TAG,
    "Store policy tests",
    {201: _MADE},
    "A body is a file of `writ test` without `model`: the tests ask the model of the environment. They are no part of"
    " the model, and of no revision.",
    bodies={JSON: NewTests},
    errors=(409,),
)
GET: Final = Operation(
    "getTests", TAG, "Read stored policy tests", {200: _STORED, 304: UNCHANGED}, headers=(IF_NONE_MATCH,)
)
PUT: Final = Operation(
    "replaceTests",
    TAG,
    "Replace stored policy tests",
    {200: _STORED, 201: _MADE},
    "If the body has an id, it must be that of the path. With `If-None-Match: *`, it adds them, and nothing is"
    " replaced.",
    headers=(IF_MATCH, IF_NONE_MATCH),
    bodies={JSON: NewTests},
    errors=(412,),
)
DELETE: Final = Operation(
    "deleteTests",
    TAG,
    "Delete stored policy tests",
    {204: Answer("They are deleted.")},
    headers=(IF_MATCH, IF_NONE_MATCH),
    errors=(412,),
)


class TestSets:
    """The stored tests of an environment. A POST adds a set."""

    def __init__(self, work: StoreWork, bodies: Bodies, limits: HttpLimits) -> None:
        self._work, self._bodies, self._limits = work, bodies, limits

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with a page, ordered by id."""
        asked = known_parameters(req, "limit", "cursor", "q")
        limit, bounds = page_limit(asked, self._limits.page_items), req.context.credential.bounds
        listed = self._work.store.policy_tests.list
        found, cursor = await self._work.read(listed, env, limit, asked.get("cursor"), bounds, asked.get("q", ""))
        resp.data = b'{"items":[' + b",".join(found) + b'],"next_cursor":' + ENCODER.encode(cursor) + b"}"

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 201 with the new set."""
        known_parameters(req)
        body = await self._bodies.read_element(req)
        if body.get("id") is None:
            body = {"id": str(uuid4())} | {name: one for name, one in body.items() if name != "id"}
        new = await self._work.read(_checked, body)
        stored = await self._work.change(self._work.store.policy_tests.create, env, actor_of(req), new)
        _show_made(resp, env, new, stored)


class OneTestSet:
    """One set of stored tests."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._work, self._bodies = work, bodies

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str) -> None:
        """Answer 200, or 304 if the client has the set already."""
        known_parameters(req)
        stored = await self._stored(req, env, id)
        _show(resp, stored)
        if is_known(req, stored.etag):
            resp.status = falcon.HTTP_304

    async def on_put(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str) -> None:
        """Answer 200 with the set, which replaces the stored one, or 201 if `If-None-Match: *` asked for it."""
        known_parameters(req)
        body, tests = await self._bodies.read_element(req), self._work.store.policy_tests
        new = await self._work.read(_checked, _addressed(body, id))
        if wants_new(req):
            _show_made(resp, env, new, await self._work.change(tests.create_at, env, actor_of(req), new))
            return
        tag = await self._tag(req, env, id)
        _show(resp, await self._work.change(tests.replace, env, actor_of(req), new, tag))

    async def on_delete(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, id: str) -> None:
        """Answer 204."""
        known_parameters(req)
        tag = await self._tag(req, env, id)
        await self._work.change(self._work.store.policy_tests.delete, env, actor_of(req), id, tag)
        resp.status = falcon.HTTP_204

    async def _tag(self, req: falcon.asgi.Request, env: str, id: str) -> str | None:
        """Returns the tag that the write must find, or None. Reads the set only if the headers need that."""
        if req.get_header("If-None-Match") is None and expected_tags(req) is None:
            return None
        return required_tag(req, (await self._stored(req, env, id)).etag)

    async def _stored(self, req: falcon.asgi.Request, env: str, id: str) -> StoredSet:
        return await self._work.read(self._work.store.policy_tests.get, env, id, req.context.credential.bounds)


def _checked(body: Mapping[str, Any]) -> NewSet:
    """Returns the set in a body. Raises Rejected for its faults. Long bodies take a while, so this runs in a thread."""
    refuse_long(dict(body))
    tests, found = check_stored(body)
    if found or tests is None:
        raise Rejected(tuple(BodyFault(one.code, show_path(one.path), one.message, one.help) for one in found))
    return NewSet(tests.id, dict(body), count_checks(tests))


def _addressed(body: dict[str, Any], id: str) -> dict[str, Any]:
    """Returns the body with the id of its path. Raises Rejected if it has another one."""
    if body.get("id", id) != id:
        message = f"the body's `id` differs from that of the path, {quoted(id)}"
        raise Rejected((BodyFault("wrong-key", "$.id", message, "leave it out, or create another set"),))
    return {"id": id} | body


def _show_made(resp: falcon.asgi.Response, env: str, new: NewSet, stored: StoredSet) -> None:
    resp.status = falcon.HTTP_201
    resp.set_header("Location", f"/v1/environments/{segment(env)}/tests/{segment(new.id)}")
    _show(resp, stored)


def _show(resp: falcon.asgi.Response, stored: StoredSet) -> None:
    resp.etag, resp.data = stored.etag, stored.text
