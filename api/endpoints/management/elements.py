"""The elements of a model: `/v1/environments/{env}/policies[/{id}]`, and so on for each kind."""

from typing import Any, Final

import falcon
import falcon.asgi

from ....compiler.model.single_members import value_of
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.entity_tags import expected_tags, is_known, required_tag, wants_new
from ...http.queries import flag, known_parameters, page_limit, parameters
from ...http.revision_tokens import REVISION
from ...identity.request_actor import actor_of
from ...settings.settings import HttpLimits
from ...store.elements.edits import Committed, Create, CreateAt, Delete, Edit, Patch, Replace, StoredElement
from ...store.elements.element_bodies import Body
from ...store.environment_ids import Bounds
from ...store.errors import ElementKey
from .element_paths import ServedKind
from .management_shapes import TotalAnswer
from .write_warnings import show_warnings

MERGE_PATCH: Final = "application/merge-patch+json"
CHUNK_ROWS: Final = 100
"""Elements that are read at a time. Between two chunks, other requests get their turn (design: "The server")."""


class ElementsOfKind:
    """The list of elements of one kind. A POST adds one."""

    def __init__(self, kind: ServedKind, work: StoreWork, bodies: Bodies, limits: HttpLimits) -> None:
        self._kind = kind
        self._work, self._bodies, self._limits = work, bodies, limits

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200 with a page, ordered by key, or as `sort` says.

        Every parameter except `limit`, `cursor`, `q`, `sort` and `total` is a filter.
        """
        filters = parameters(req)
        part, sort, wants_total = filters.pop("q", ""), filters.pop("sort", ""), flag(filters, "total")
        filters.pop("total", None)
        wanted = page_limit(filters, self._limits.page_items)
        filters.pop("limit", None)
        cursor = filters.pop("cursor", None)
        bounds, chunks = req.context.credential.bounds, list[bytes]()
        while True:
            limit = min(CHUNK_ROWS, wanted)
            chunk, cursor = await self._work.read(self._chunk, env, part, filters, limit, cursor, bounds, sort)
            chunks.append(chunk)
            wanted -= limit
            if cursor is None or not wanted:
                break
        end = b""
        if wants_total:
            total = self._work.store.finder.total
            end = b',"total":' + ENCODER.encode(
                TotalAnswer(*await self._work.read(total, env, self._kind.name, part, filters, bounds))
            )
        items = b",".join(filter(None, chunks))
        resp.data = b'{"items":[' + items + b'],"next_cursor":' + ENCODER.encode(cursor) + end + b"}"

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 201 with the new element, or 200 with an assignment of equal content.

        A route comes last, or `before` another one.
        """
        before = known_parameters(req, *self._kind.ordering).get("before")
        body = await self._bodies.read_element(req)
        committed = await self._work.write(env, actor_of(req), (Create(self._kind.name, body, before),))
        _show_written(resp, self._kind, committed)
        resp.set_header("Location", self._kind.path_to(env, _key_in(self._kind, committed)))

    def _chunk(
        self,
        env: str,
        part: str,
        filters: dict[str, str],
        limit: int,
        cursor: str | None,
        bounds: Bounds,
        sort: str,
    ) -> tuple[bytes, str | None]:
        """Returns some elements as JSON, joined by commas, and the cursor of the next ones."""
        page = self._work.store.finder.page(env, self._kind.name, part, filters, limit, cursor, bounds, sort)
        return b",".join(ENCODER.encode(stored.body) for stored in page.items), page.next_cursor


class ElementByKey:
    """One element, by its key."""

    def __init__(self, kind: ServedKind, work: StoreWork, bodies: Bodies) -> None:
        self._kind = kind
        self._work, self._bodies = work, bodies

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, **key: str) -> None:
        """Answer 200, or 304 if the client has the element already."""
        known_parameters(req)
        stored = await self._stored(req, env, self._key(key))
        _show(resp, self._kind, stored)
        if is_known(req, stored.etag):
            resp.status = falcon.HTTP_304

    async def on_put(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, **key: str) -> None:
        """Answer 200 with the element, which replaces the stored one, or 201 if `If-None-Match: *` asked for it.

        With `before`, a route moves.
        """
        before = known_parameters(req, *self._kind.ordering).get("before")
        body = await self._read(req)
        if wants_new(req):
            await self._write(req, resp, env, CreateAt(self._kind.name, self._key(key), body, before))
        else:
            tag = await self._tag(req, env, self._key(key))
            await self._write(req, resp, env, Replace(self._kind.name, self._key(key), body, tag, before))
        if resp.status == falcon.HTTP_201:
            resp.set_header("Location", self._kind.path_to(env, self._key(key)))

    async def on_delete(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, **key: str) -> None:
        """Answer 204. Elements that refer to it prevent this, unless `cascade=true` deletes them too."""
        cascade = flag(known_parameters(req, "cascade"), "cascade")
        tag = await self._tag(req, env, self._key(key))
        edit = Delete(self._kind.name, self._key(key), cascade, tag)
        committed = await self._work.write(env, actor_of(req), (edit,))
        resp.set_header(REVISION, committed.environment.etag)
        resp.status = falcon.HTTP_204

    async def _read(self, req: falcon.asgi.Request) -> Body:
        """Returns the element in the body of a request."""
        return await self._bodies.read_element(req)

    def _key(self, parameters: dict[str, Any]) -> ElementKey:
        """Returns the key. A member of the model that is no list has its name as the key."""
        return tuple(parameters[name] for name in self._kind.key) if self._kind.key else (self._kind.name,)

    async def _tag(self, req: falcon.asgi.Request, env: str, key: ElementKey) -> str | None:
        """Returns the tag that the write must find, or None. Reads the element only if the headers need that."""
        expected = expected_tags(req)
        if req.get_header("If-None-Match") is None and (expected is None or len(expected) == 1):
            return None if expected is None else next(iter(expected))
        stored = await self._stored(req, env, key)
        return required_tag(req, stored.etag)

    async def _stored(self, req: falcon.asgi.Request, env: str, key: ElementKey) -> StoredElement:
        return await self._work.read(self._work.store.get, env, self._kind.name, key, req.context.credential.bounds)

    async def _write(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, edit: Edit) -> None:
        _show_written(resp, self._kind, await self._work.write(env, actor_of(req), (edit,)))


class PatchedElement(ElementByKey):
    """One element that is an object, which a merge patch can change."""

    async def on_patch(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, **key: str) -> None:
        """Answer 200 with the patched element (RFC 7396)."""
        known_parameters(req)
        patch = await self._bodies.read_element(req, (MERGE_PATCH, JSON))
        tag = await self._tag(req, env, self._key(key))
        await self._write(req, resp, env, Patch(self._kind.name, self._key(key), patch, tag))


def _show_written(resp: falcon.asgi.Response, kind: ServedKind, committed: Committed) -> None:
    """Answer with the element of a write's one edit: 201 if it was added."""
    if committed.added:
        resp.status = falcon.HTTP_201
    _show(resp, kind, _stored_by(committed))
    resp.set_header(REVISION, committed.environment.etag)
    show_warnings(resp, committed.warnings)


def _key_in(kind: ServedKind, committed: Committed) -> ElementKey:
    return tuple(_stored_by(committed).body[name] for name in kind.key)


def _stored_by(committed: Committed) -> StoredElement:
    (stored,) = committed.results
    assert stored is not None
    return stored


def _show(resp: falcon.asgi.Response, kind: ServedKind, stored: StoredElement) -> None:
    resp.etag = stored.etag
    resp.data = ENCODER.encode(value_of(kind.name, stored.body))
