"""`/v1/environments/{env}/resources/{type}/{id}/grants`: all direct grants on a resource, read and set as one."""

from typing import Any, Final

import falcon
import falcon.asgi

from ....bundles.wording import described, quoted
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.entity_tags import expected_tags, is_known, required_tag
from ...http.openapi.operation import Answer, Operation, Parameter, Schema, named
from ...http.openapi.vocabulary import ETAG, IF_MATCH, IF_NONE_MATCH, UNCHANGED
from ...http.queries import flag, known_parameters
from ...http.rejections import BodyRejected
from ...http.revision_tokens import REVISION
from ...identity.request_actor import actor_of
from ...store.elements.edits import Committed, SetGrants, StoredElement
from ...store.elements.element_bodies import Body
from ...store.elements.grant_sets import MOST_GRANTS
from ...store.errors import Rejected
from .element_batch import placed
from .management_shapes import GrantChanges
from .write_warnings import WRITE_WARNINGS, show_warnings

_TAG: Final = "Grants"
_ABOUT: Final = (
    "The type is named by its id, and the resource need not be registered. An item of the body is a grant without its"
    " `resource`. Its `id` has no effect: a grant that is there already keeps its id."
)
_DRY_RUN: Final = Parameter(
    "dry_run", "Only answer what would change, with the entity tag of now.", {"type": "boolean", "default": False}
)
_ITEMS: Final[Schema] = {"type": "array", "items": named("Grant"), "maxItems": MOST_GRANTS}
_LIST: Final[Schema] = {"type": "object", "properties": {"items": _ITEMS}, "required": ["items"]}
_BODY: Final[Schema] = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "object"}, "maxItems": MOST_GRANTS}},
    "required": ["items"],
    "additionalProperties": False,
}

GET: Final = Operation(
    "getGrantsOnResource",
    _TAG,
    "Read all grants on a resource",
    {200: Answer("The grants. Their entity tag changes if one of them does.", _LIST, (ETAG,)), 304: UNCHANGED},
    f"If there are more than {MOST_GRANTS}: 400. Then read the list of grants with its filters.",
    headers=(IF_NONE_MATCH,),
)
PUT: Final = Operation(
    "setGrantsOnResource",
    _TAG,
    "Set all grants on a resource",
    {200: Answer("The changes, which are one revision.", GrantChanges, (ETAG, WRITE_WARNINGS))},
    _ABOUT,
    query=(_DRY_RUN,),
    headers=(IF_MATCH, IF_NONE_MATCH),
    bodies={JSON: _BODY},
    errors=(409, 412),
)
DELETE: Final = Operation(
    "deleteGrantsOnResource",
    _TAG,
    "Delete all grants on a resource",
    {204: Answer("There is no grant on it any more.")},
    f"If there are more than {MOST_GRANTS}: 400.",
    headers=(IF_MATCH, IF_NONE_MATCH),
    errors=(412,),
)


class GrantsOnResource:
    """The direct grants on a resource, as a set with one entity tag."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._work, self._bodies = work, bodies

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, type: str, id: str) -> None:
        """Answer 200, or 304 if the client has them already."""
        known_parameters(req)
        found = await self._work.read(self._work.store.grants_on, env, (type, id), req.context.credential.bounds)
        resp.etag = found.etag
        resp.data = ENCODER.encode({"items": found.items})
        if is_known(req, found.etag):
            resp.status = falcon.HTTP_304

    async def on_put(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, type: str, id: str) -> None:
        """Answer 200 with the changes."""
        is_dry = flag(known_parameters(req, "dry_run"), "dry_run")
        bodies = _bodies(await self._bodies.read_element(req), {"type": type, "id": id})
        changed, committed = await self._set(req, env, (type, id), bodies, is_dry)
        resp.etag = changed.etag
        resp.set_header(REVISION, committed.environment.etag)
        show_warnings(resp, placed(committed.warnings))
        resp.data = ENCODER.encode(changed.body)

    async def on_delete(
        self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str, type: str, id: str
    ) -> None:
        """Answer 204."""
        known_parameters(req)
        _, committed = await self._set(req, env, (type, id), (), False)
        resp.set_header(REVISION, committed.environment.etag)
        resp.status = falcon.HTTP_204

    async def _set(
        self,
        req: falcon.asgi.Request,
        env: str,
        resource: tuple[str, str],
        bodies: tuple[Body, ...],
        is_dry: bool,
    ) -> tuple[StoredElement, Committed]:
        edits = (SetGrants(resource, bodies, await self._tag(req, env, resource), is_dry),)
        try:
            committed = await (self._work.prepare if is_dry else self._work.write)(env, actor_of(req), edits)
        except Rejected as ex:
            raise Rejected(placed(ex.faults)) from None
        (changed,) = committed.results
        assert changed is not None
        return changed, committed

    async def _tag(self, req: falcon.asgi.Request, env: str, resource: tuple[str, str]) -> str | None:
        """Returns the tag that the write must find, or None. The write itself compares it."""
        expected = expected_tags(req)
        if req.get_header("If-None-Match") is None and (expected is None or len(expected) == 1):
            return None if expected is None else next(iter(expected))
        found = await self._work.read(self._work.store.grants_on, env, resource, req.context.credential.bounds)
        return required_tag(req, found.etag)


def _bodies(body: dict[str, Any], resource: dict[str, str]) -> tuple[Body, ...]:
    """Returns the grants in a body, each with its resource and without an id. Raises BodyRejected."""
    items = body.get("items")
    if not isinstance(items, list) or len(body) > 1:
        raise BodyRejected("wrong-type", "the body is an object with the array `items` alone")
    if len(items) > MOST_GRANTS:
        raise BodyRejected("out-of-range", f"a set has up to {MOST_GRANTS} grants, not {len(items)}", "$.items")
    found: list[Body] = []
    for place, item in enumerate(items):
        if not isinstance(item, dict):
            raise BodyRejected("wrong-type", f"a grant is an object, not {described(item)}", f"$.items[{place}]")
        if item.get("resource", resource) != resource:
            shown = quoted(f"{resource['type']}:{resource['id']}")
            message = f"the grant is on another resource than {shown}, which the path names"
            raise BodyRejected("wrong-key", message, f"$.items[{place}].resource")
        found.append({name: value for name, value in item.items() if name != "id"} | {"resource": resource})
    return tuple(found)
