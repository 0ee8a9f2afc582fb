"""What is said of the operations on elements: the same of each kind, in its own words."""

from collections.abc import Mapping
from typing import Final

from ...compiler.model.elements import LISTS
from ..http.bodies import JSON
from ..management.elements import MERGE_PATCH
from ..management.kinds import ServedKind
from ..store.elements.listing import FILTERS
from ..store.store import MAX_EDITS
from .operation import Answer, Operation, Parameter, Schema, named, page_of
from .operations import PAGE, TAGGED

_CASCADE: Final = Parameter(
    "cascade",
    "Delete what refers to it too; a policy whose last role goes is deleted, never opened to everyone.",
    {"type": "boolean", "default": False},
)
_PATCH: Final = {"type": "object", "description": "A JSON merge patch (RFC 7396): null removes a member."}


def operations_on(kind: ServedKind) -> Mapping[tuple[str, str], Operation]:
    """The operations on one kind, by route and method."""
    return {
        (kind.list_path, "GET"): _listing(kind),
        (kind.list_path, "POST"): _creating(kind),
        (kind.batch_path, "POST"): _creating_many(kind),
        (kind.element_path, "GET"): _reading(kind),
        (kind.element_path, "PUT"): _changing(kind, "replace", "Replace", {JSON: named(_class(kind) + "InPlace")}),
        (kind.element_path, "PATCH"): _changing(kind, "patch", "Patch", {MERGE_PATCH: _PATCH, JSON: _PATCH}),
        (kind.element_path, "DELETE"): _deleting(kind),
    }


def _listing(kind: ServedKind) -> Operation:
    filters = (Parameter(name, f"Only those with this `{name}`.") for name in FILTERS[kind.name])
    return Operation(
        f"list{_classes(kind)}",
        _tag(kind),
        f"List the {_plural(kind)} by key",
        {200: Answer("A page.", page_of(named(_class(kind))))},
        query=(*PAGE, *filters),
    )


def _creating(kind: ServedKind) -> Operation:
    return Operation(
        f"create{_class(kind)}",
        _tag(kind),
        f"Add one of the {_plural(kind)}",
        {201: Answer(f"The {kind.noun}.", named(_class(kind)), ("Location", *TAGGED))},
        "Without an `id` it gets one.",
        bodies={JSON: named(f"New{_class(kind)}")},
        errors=(409,),
    )


def _creating_many(kind: ServedKind) -> Operation:
    items: Schema = {"type": "array", "items": named(f"New{_class(kind)}"), "minItems": 1, "maxItems": MAX_EDITS}
    body: Schema = {
        "type": "object",
        "properties": {"items": items},
        "required": ["items"],
        "additionalProperties": False,
    }
    made: Schema = {
        "type": "object",
        "properties": {"items": {"type": "array", "items": named(_class(kind))}},
        "required": ["items"],
    }
    return Operation(
        f"create{_classes(kind)}",
        _tag(kind),
        f"Add many {_plural(kind)}, all or none, in one revision",
        {201: Answer(f"The {_plural(kind)}, in the order in which they came.", made)},
        bodies={JSON: body},
        errors=(409,),
    )


def _reading(kind: ServedKind) -> Operation:
    unchanged = Answer("What the client has, as `If-None-Match` says, is what there is.", headers=TAGGED)
    return Operation(
        f"get{_class(kind)}",
        _tag(kind),
        f"Read one of the {_plural(kind)}",
        {200: Answer(f"The {kind.noun}.", named(_class(kind)), TAGGED), 304: unchanged},
        headers=("If-None-Match",),
    )


def _changing(kind: ServedKind, verb: str, word: str, bodies: Mapping[str, Schema]) -> Operation:
    return Operation(
        f"{verb}{_class(kind)}",
        _tag(kind),
        f"{word} one of the {_plural(kind)}",
        {200: Answer(f"The {kind.noun} as it is now.", named(_class(kind)), TAGGED)},
        "A key in the body is that of the path.",
        headers=("If-Match", "If-None-Match"),
        bodies=bodies,
        errors=(412,),
    )


def _deleting(kind: ServedKind) -> Operation:
    return Operation(
        f"delete{_class(kind)}",
        _tag(kind),
        f"Delete one of the {_plural(kind)}",
        {204: Answer("It is gone.")},
        "Where something refers to it: 409, with those who do.",
        query=(_CASCADE,),
        headers=("If-Match", "If-None-Match"),
        errors=(409, 412),
    )


def _class(kind: ServedKind) -> str:
    return LISTS[kind.name].__name__


def _classes(kind: ServedKind) -> str:
    return kind.name.title().replace("_", "")


def _plural(kind: ServedKind) -> str:
    return kind.name.replace("_", " ")


def _tag(kind: ServedKind) -> str:
    return _plural(kind).capitalize()
