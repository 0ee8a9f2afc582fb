"""The declared attributes of a model: `/v1/environments/{env}/attributes`."""

from typing import Any, Final

from ....compiler.model import elements
from ....compiler.model.elements import ONE_OBJECT
from ...engines.live.store_work import StoreWork
from ...http.bodies import JSON, Bodies
from ...http.openapi.operation import Answer, Operation, Schema
from ...http.openapi.vocabulary import ETAG, IF_MATCH, IF_NONE_MATCH, LOCATION, UNCHANGED
from ...store.errors import ElementKey
from .element_paths import DECLARED_ATTRIBUTES
from .elements import MERGE_PATCH, ElementByKey

_TAG: Final = "Declared attributes"
_SHAPE: Final = elements.DeclaredAttributes
_PATCH: Final[Schema] = {"type": "object", "description": "A JSON merge patch (RFC 7396). A null removes the member."}

GET: Final = Operation(
    "getAttributes",
    _TAG,
    "Read the declared attributes of subjects, of the context and of actions",
    {200: Answer("The declared attributes. 404 if there are none.", _SHAPE, (ETAG,)), 304: UNCHANGED},
    headers=(IF_NONE_MATCH,),
)
PUT: Final = Operation(
    "putAttributes",
    _TAG,
    "Replace the declared attributes",
    {
        200: Answer("The declared attributes.", _SHAPE, (ETAG,)),
        201: Answer("The declared attributes: there were none before.", _SHAPE, (ETAG, LOCATION)),
    },
    "All policies are checked against them. If one does not fit: 400.",
    headers=(IF_MATCH, IF_NONE_MATCH),
    bodies={JSON: _SHAPE},
    errors=(412,),
)
PATCH: Final = Operation(
    "patchAttributes",
    _TAG,
    "Patch the declared attributes",
    {200: Answer("The declared attributes.", _SHAPE, (ETAG,))},
    "All policies are checked against them. If one does not fit: 400.",
    headers=(IF_MATCH, IF_NONE_MATCH),
    bodies={MERGE_PATCH: _PATCH, JSON: _PATCH},
    errors=(412,),
)
DELETE: Final = Operation(
    "deleteAttributes",
    _TAG,
    "Remove the declared attributes",
    {204: Answer("No attributes are declared any more, except those of resource types.")},
    headers=(IF_MATCH, IF_NONE_MATCH),
    errors=(409, 412),
)


class DeclaredAttributes(ElementByKey):
    """The declared attributes of one environment. A PUT adds them if there are none."""

    def __init__(self, work: StoreWork, bodies: Bodies) -> None:
        super().__init__(DECLARED_ATTRIBUTES, work, bodies)

    def _key(self, _parameters: dict[str, Any]) -> ElementKey:
        return (ONE_OBJECT,)
