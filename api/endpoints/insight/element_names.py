"""The names of some elements, asked for at once: `POST /v1/environments/{env}/names`."""

from typing import Annotated, Final, Literal

import falcon.asgi
from msgspec import UNSET, Meta, Struct, UnsetType

from ....compiler.model.elements import ElementKind
from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER, JSON, Bodies
from ...http.openapi.operation import Answer, Operation
from ...http.queries import known_parameters
from ...http.rejections import BodyRejected
from ...store.elements.kinds import KINDS
from ...store.insight.element_names import NAMED_KINDS, ElementToName
from ..decisions.decision_shapes import Identifier
from ..management.body_shapes import shaped

CODE: Final = "bad-question"

MOST_NAMES: Final = 1_000
"""The most elements of a request: those of the longest page."""


class NamedElement(Struct, frozen=True, forbid_unknown_fields=True):
    """An element, by its list and its key. A subject and a resource have a `type`, the others have none."""

    kind: Literal[tuple(map(str, NAMED_KINDS))]  # type: ignore[valid-type]  # the names stand in one place
    id: Identifier
    type: Identifier | UnsetType = UNSET


class NamesRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """The elements whose names are wanted."""

    elements: Annotated[tuple[NamedElement, ...], Meta(max_length=MOST_NAMES)]


class NamesAnswer(Struct, frozen=True):
    """A name for each element, in the order of the request. It is null without a name, or without the element."""

    names: tuple[str | None, ...]


ASK: Final = Operation(
    "tellNames",
    "Insight",
    "Tell the names of some elements",
    {200: Answer("The names.", NamesAnswer)},
    f"It tells {MOST_NAMES:,} names at most. The name of a subject is its attribute `name`.",
    bodies={JSON: NamesRequest},
)


class ElementNames:
    """Tells the names that people know elements by."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        self._work, self._bodies = work, bodies

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200. Raises BodyRejected for a malformed request."""
        known_parameters(req)
        asked = shaped(await self._bodies.read_object(req), NamesRequest, CODE)
        wanted = [_wanted(at, one) for at, one in enumerate(asked.elements)]
        bounds = req.context.credential.bounds
        names = await self._work.read(self._work.store.insight.names, env, wanted, bounds)
        resp.data = ENCODER.encode(NamesAnswer(tuple(names)))


def _wanted(at: int, one: NamedElement) -> ElementToName:
    kind = ElementKind(one.kind)
    if ("type" in KINDS[kind].key) == (one.type is UNSET):
        need = "needs" if one.type is UNSET else "has no"
        raise BodyRejected(CODE, f"an element of `{kind}` {need} `type`", f"$.elements[{at}].type")
    return ElementToName(kind, (one.id,) if one.type is UNSET else (one.type, one.id))
