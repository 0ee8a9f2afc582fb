"""The OpenAPI operations on elements, for each kind."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ....compiler.model.elements import LISTS, ElementKind
from ...http.bodies import JSON
from ...http.openapi.operation import Answer, Operation, Parameter, Schema, named, page_of
from ...http.openapi.vocabulary import ETAG, IF_MATCH, IF_NONE_MATCH, LOCATION, PAGE, PART, UNCHANGED
from ...store.finding.finding import MOST_COUNTED
from ...store.finding.listing import FILTERS
from ...store.finding.named_subjects import LISTED, NAMED
from ...store.finding.orders import sorts_of
from ...store.writing import MAX_EDITS
from .element_paths import ServedKind
from .elements import MERGE_PATCH
from .management_shapes import TotalAnswer
from .write_warnings import WRITE_WARNINGS

_CASCADE: Final = Parameter(
    "cascade",
    "Also delete the elements that refer to it. A policy that loses its last role is deleted too.",
    {"type": "boolean", "default": False},
)
_TOTAL: Final = Parameter(
    "total",
    f"Also count the elements of all pages, up to {MOST_COUNTED}.",
    {"type": "boolean", "default": False},
)
_NAMED: Final = Parameter(
    NAMED,
    "Also list the subjects without an entry that a group, an assignment or a grant names. Their `listed` is false.",
    {"type": "boolean", "default": False},
)
_NAMED_SUBJECT: Final[Schema] = {
    "type": "object",
    "description": "A subject without an entry.",
    "properties": {"type": {"type": "string"}, "id": {"type": "string"}, LISTED: {"const": False}},
    "required": ["type", "id", LISTED],
    "additionalProperties": False,
}
_BEFORE: Final = Parameter(
    "before", "The id of the route that it comes before. Without it, a new route comes last, and another one stays."
)
_PATCH: Final[Schema] = {"type": "object", "description": "A JSON merge patch (RFC 7396). A null removes the member."}


def listing(kind: ServedKind) -> Operation:
    """Returns the operation: list the elements."""
    filters = (Parameter(name, f"Only {_plural(kind)} with this `{name}`.") for name in FILTERS[kind.name])
    item = named(_class(kind))
    page = page_of({"anyOf": [item, _NAMED_SUBJECT]} if kind.name == ElementKind.SUBJECTS else item)
    page["properties"]["total"] = TotalAnswer
    return Operation(
        f"list{_classes(kind)}",
        _tag(kind),
        f"List the {_plural(kind)} " + ("in their order" if kind.ordering else "by key"),
        {200: Answer("A page. Only with `total=true`, it has `total`.", page)},
        query=(
            *PAGE,
            PART,
            *_sorting(kind),
            _TOTAL,
            *filters,
            *((_NAMED,) if kind.name == ElementKind.SUBJECTS else ()),
        ),
    )


def _sorting(kind: ServedKind) -> tuple[Parameter, ...]:
    known = sorts_of(kind.name)
    said = "The order, from the end with a `-`. The same goes with the cursor. It does not go together with `q`."
    return (Parameter("sort", said, {"type": "string", "enum": list(known)}),) if known else ()


def creating(kind: ServedKind) -> Operation:
    """Returns the operation: add one element."""
    made = Answer(f"The {kind.noun}.", named(_class(kind)), (LOCATION, ETAG, WRITE_WARNINGS))
    answers = {201: made}
    if _may_be_equal(kind):
        answers[200] = replace(made, description=f"An equal {kind.noun} exists: this one.")
    return Operation(
        f"create{_class(kind)}",
        _tag(kind),
        f"Add one of the {_plural(kind)}",
        answers,
        "Without an `id`, Writ makes one.",
        query=_ordering(kind),
        bodies={JSON: named(f"New{_class(kind)}")},
        errors=(409,),
    )


def creating_many(kind: ServedKind) -> Operation:
    """Returns the operation: add many elements."""
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
    all_made = Answer(f"The {_plural(kind)}, in the order of the request.", made, (WRITE_WARNINGS,))
    answers = {201: all_made}
    if _may_be_equal(kind):
        answers[200] = replace(
            all_made, description="Each has an equal that exists: these, in the order of the request."
        )
    return Operation(
        f"create{_classes(kind)}",
        _tag(kind),
        f"Add many {_plural(kind)}, all or none, in one revision",
        answers,
        bodies={JSON: body},
        errors=(409,),
    )


def reading(kind: ServedKind) -> Operation:
    """Returns the operation: read one element."""
    return Operation(
        f"get{_class(kind)}",
        _tag(kind),
        f"Read one of the {_plural(kind)}",
        {200: Answer(f"The {kind.noun}.", named(_class(kind)), (ETAG,)), 304: UNCHANGED},
        headers=(IF_NONE_MATCH,),
    )


def replacing(kind: ServedKind) -> Operation:
    """Returns the operation: replace one element."""
    changing = _changing(kind, "replace", "Replace", {JSON: named(_class(kind) + "InPlace")}, _ordering(kind))
    made = Answer(f"The new {kind.noun}.", named(_class(kind)), (LOCATION, ETAG, WRITE_WARNINGS))
    description = f"{changing.description} With `If-None-Match: *`, it adds the {kind.noun}, and nothing is replaced."
    return replace(changing, answers={**changing.answers, 201: made}, description=description)


def patching(kind: ServedKind) -> Operation:
    """Returns the operation: patch one element."""
    return _changing(kind, "patch", "Patch", {MERGE_PATCH: _PATCH, JSON: _PATCH})


def _ordering(kind: ServedKind) -> tuple[Parameter, ...]:
    return (_BEFORE,) if kind.ordering else ()


def _changing(
    kind: ServedKind, verb: str, word: str, bodies: Mapping[str, Schema], query: tuple[Parameter, ...] = ()
) -> Operation:
    return Operation(
        f"{verb}{_class(kind)}",
        _tag(kind),
        f"{word} one of the {_plural(kind)}",
        {200: Answer(f"The changed {kind.noun}.", named(_class(kind)), (ETAG, WRITE_WARNINGS))},
        "If the body has a key, it must be that of the path.",
        query=query,
        headers=(IF_MATCH, IF_NONE_MATCH),
        bodies=bodies,
        errors=(412,),
    )


def deleting(kind: ServedKind) -> Operation:
    """Returns the operation: delete one element."""
    return Operation(
        f"delete{_class(kind)}",
        _tag(kind),
        f"Delete one of the {_plural(kind)}",
        {204: Answer(f"The {kind.noun} is deleted.")},
        "If other elements refer to it: 409, with these elements.",
        query=(_CASCADE,),
        headers=(IF_MATCH, IF_NONE_MATCH),
        errors=(409, 412),
    )


def _may_be_equal(kind: ServedKind) -> bool:
    """Returns whether adding an element that exists with equal content answers with that one."""
    return kind.name in (ElementKind.ASSIGNMENTS, ElementKind.GRANTS)


def _class(kind: ServedKind) -> str:
    return LISTS[kind.name].__name__


def _classes(kind: ServedKind) -> str:
    return kind.name.title().replace("_", "")


def _plural(kind: ServedKind) -> str:
    return kind.name.replace("_", " ")


def _tag(kind: ServedKind) -> str:
    return _plural(kind).capitalize()
