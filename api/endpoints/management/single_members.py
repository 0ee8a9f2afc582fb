"""The members of a model that are no lists: `/v1/environments/{env}/attributes`, `…/extensions` and `…/requests`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import falcon.asgi

from ....bundles.extensions import EXTENSIONS
from ....compiler.model.elements import DeclaredAttributes, ElementKind
from ....compiler.model.single_members import element_of
from ...http.bodies import JSON
from ...http.openapi.operation import Answer, Operation, Schema
from ...http.openapi.vocabulary import ETAG, IF_MATCH, IF_NONE_MATCH, LOCATION, UNCHANGED
from ...store.elements.element_bodies import Body
from .element_paths import ServedKind
from .elements import MERGE_PATCH, ElementByKey

_PATCH: Final[Schema] = {"type": "object", "description": "A JSON merge patch (RFC 7396). A null removes the member."}


@dataclass(frozen=True, slots=True)
class _Described:
    """The words for a member in the description of its calls, and the shape of its value.

    `checked` says what a change is checked with, and `removed` what holds without the member.
    """

    name: str
    tag: str
    words: str
    shape: type | Schema
    checked: str
    removed: str


_DESCRIBED: Final[Mapping[ElementKind, _Described]] = {
    ElementKind.EXTENSIONS: _Described(
        "Extensions",
        "Extensions",
        "the names of the extensions that the model uses",
        {"type": "array", "items": {"enum": sorted(EXTENSIONS)}},
        "All policies are checked with them. If one needs an extension that is not named: 400.",
        "The model uses no extension any more.",
    ),
    ElementKind.REQUESTS: _Described(
        "Requests",
        "Strict requests",
        "the way in which requests are checked",
        {"enum": ["strict"]},
        "From then on, a request that does not fit the declarations of the model is answered 400.",
        "Requests are no longer checked against the declarations of the model.",
    ),
    ElementKind.ATTRIBUTES: _Described(
        "Attributes",
        "Declared attributes",
        "the declared attributes of subjects, of the context and of actions",
        DeclaredAttributes,
        "All policies are checked against them. If one does not fit: 400.",
        "No attributes are declared any more, except those of resource types.",
    ),
}


def reading(kind: ServedKind) -> Operation:
    """Returns the operation: read the member."""
    said = _DESCRIBED[kind.name]
    return Operation(
        f"get{said.name}",
        said.tag,
        f"Read {said.words}",
        {200: Answer(f"{_sentence(said)} 404 if there are none.", said.shape, (ETAG,)), 304: UNCHANGED},
        headers=(IF_NONE_MATCH,),
    )


def replacing(kind: ServedKind) -> Operation:
    """Returns the operation: replace the member, or add it."""
    said = _DESCRIBED[kind.name]
    return Operation(
        f"put{said.name}",
        said.tag,
        f"Replace {said.words}",
        {
            200: Answer(_sentence(said), said.shape, (ETAG,)),
            201: Answer(f"{_sentence(said)} The model had no such member before.", said.shape, (ETAG, LOCATION)),
        },
        said.checked,
        headers=(IF_MATCH, IF_NONE_MATCH),
        bodies={JSON: said.shape},
        errors=(412,),
    )


def patching(kind: ServedKind) -> Operation:
    """Returns the operation: patch the member, which is an object."""
    said = _DESCRIBED[kind.name]
    return Operation(
        f"patch{said.name}",
        said.tag,
        f"Patch {said.words}",
        {200: Answer(_sentence(said), said.shape, (ETAG,))},
        said.checked,
        headers=(IF_MATCH, IF_NONE_MATCH),
        bodies={MERGE_PATCH: _PATCH, JSON: _PATCH},
        errors=(412,),
    )


def deleting(kind: ServedKind) -> Operation:
    """Returns the operation: remove the member."""
    said = _DESCRIBED[kind.name]
    return Operation(
        f"delete{said.name}",
        said.tag,
        f"Remove {said.words}",
        {204: Answer(said.removed)},
        headers=(IF_MATCH, IF_NONE_MATCH),
        errors=(409, 412),
    )


def _sentence(said: _Described) -> str:
    return f"{said.words[:1].upper()}{said.words[1:]}."


class MemberValue(ElementByKey):
    """A member of the model whose value is a part of the element. Bodies are what a document says."""

    async def _read(self, req: falcon.asgi.Request) -> Body:
        body: Body = element_of(self._kind.name, await self._bodies.read_value(req))
        return body
