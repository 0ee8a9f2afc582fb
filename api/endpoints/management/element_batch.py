"""`POST /v1/environments/{env}/policies:batch`: adds many elements of one kind, all or none."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import falcon
import falcon.asgi

from ....bundles.wording import described, quoted, show_path
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER, Bodies
from ...http.queries import known_parameters
from ...http.rejections import BodyRejected
from ...http.revision_tokens import REVISION
from ...identity.request_actor import actor_of
from ...settings.settings import HttpLimits
from ...store.elements.edits import Create
from ...store.elements.element_bodies import Body
from ...store.errors import BodyFault, Conflict, Rejected
from ...store.writing import MAX_EDITS
from .element_paths import ServedKind
from .write_warnings import show_warnings


class ElementBatch:
    """Adds elements of one kind, in one revision."""

    def __init__(self, kind: ServedKind, work: StoreWork, bodies: Bodies, limits: HttpLimits) -> None:
        self._kind = kind
        self._work, self._bodies = work, bodies
        self._most = min(limits.batch_items, MAX_EDITS)

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 201 with the elements, in the order of the request, or 200 if all were assignments of equal content.

        The paths of warnings start at the body, as those of faults do.
        """
        known_parameters(req)
        items = _items(await self._bodies.read_element(req), self._most)
        edits = [Create(self._kind.name, item) for item in items]
        try:
            committed = await self._work.write(env, actor_of(req), edits)
        except Rejected as ex:
            raise Rejected(placed(ex.faults)) from None
        except Conflict as ex:
            raise Conflict(f"{_place(ex.edit)}: {ex}", ex.users) from None
        if committed.added:
            resp.status = falcon.HTTP_201
        resp.set_header(REVISION, committed.environment.etag)
        show_warnings(resp, placed(committed.warnings))
        resp.data = ENCODER.encode({"items": [stored.body for stored in committed.results if stored is not None]})


def _items(body: dict[str, Any], most: int) -> list[Body]:
    """Raises BodyRejected."""
    for name in body:
        if name != "items":
            raise BodyRejected(
                "unknown-member", f"{quoted(name)} is not a member of a batch, only `items` is", show_path((name,))
            )
    items = body.get("items")
    if not isinstance(items, list):
        message = "`items` must be an array" + (f", not {described(items)}" if "items" in body else "")
        raise BodyRejected("wrong-type" if "items" in body else "missing-member", message, "$.items")
    if not 0 < len(items) <= most:
        raise BodyRejected("out-of-range", f"a batch has 1 to {most} items, not {len(items)}", "$.items")
    for place, item in enumerate(items):
        if not isinstance(item, dict):
            raise BodyRejected("wrong-type", f"an element is an object, not {described(item)}", _place(place))
    return items


def placed(faults: Iterable[BodyFault]) -> tuple[BodyFault, ...]:
    """Returns the faults with paths that start at the batch."""
    return tuple(replace(one, path=_place(one.edit) + one.path[1:]) for one in faults)


def _place(edit: int | None) -> str:
    return "$" if edit is None else f"$.items[{edit}]"
