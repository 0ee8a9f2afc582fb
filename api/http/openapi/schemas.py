"""The schemas of the OpenAPI document, made from the types that the service reads and writes."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

import msgspec

from ....bundles.conditions.operators import Operator
from ....compiler.model.elements import LISTS, ElementKind
from ....runtime.rules.reasons import AccessPath, ReasonCode
from ...store.elements.kinds import KINDS
from .operation import Schema, named

_REFERENCE: Final = "#/components/schemas/{name}"
_VALUES: Final = (Operator.__name__, ReasonCode.__name__, AccessPath.__name__)
"""Closed sets of names that have no schema."""

_NOT_SHOWN: Final = (ElementKind.EXTENSIONS, ElementKind.REQUESTS, ElementKind.LINTS)
"""Lists whose elements no call sends. Of the first two, calls send a part of the element."""


def schemas(types: Iterable[type]) -> dict[str, Schema]:
    """Returns the schemas of a model's elements, and of `types` with all that they consist of, by name.

    `New…` is an element whose id may be left out, `…InPlace` one whose whole key may.
    """
    found = _components(sorted(types, key=lambda one: one.__name__))
    shown = (shape for name, shape in LISTS.items() if name not in _NOT_SHOWN)
    found |= {name: _without_nulls(schema) for name, schema in _components(shown).items()}
    for kind in (one for one in KINDS.values() if one.states_key):
        name = LISTS[kind.name].__name__
        found[f"New{name}"] = _without(found[name], ("id",))
        found[f"{name}InPlace"] = _without(found[name], kind.key)
    return found


def referring(part: Any, types: set[type]) -> Any:
    """Returns `part` of a document with a reference in place of each type, and adds the types to `types`."""
    match part:
        case type():
            types.add(part)
            return named(part.__name__)
        case dict():
            return {name: referring(inner, types) for name, inner in part.items()}
        case list():
            return [referring(inner, types) for inner in part]
    return part


def _components(types: Iterable[type]) -> dict[str, Schema]:
    """Returns the schemas of types by name. The values of `_VALUES` stand where they are used."""
    found = msgspec.json.schema_components(types, ref_template=_REFERENCE)[1]
    closed = {_REFERENCE.format(name=name): found.pop(name)["enum"] for name in _VALUES if name in found}
    return {name: _with_values(one, closed) for name, one in found.items()}


def _with_values(part: Any, closed: Mapping[str, list[str]]) -> Any:
    """Returns a part of a schema with the values of closed sets in the place of references to them."""
    match part:
        case {"$ref": str(reference)} if reference in closed:
            return {"enum": closed[reference]}
        case dict():
            return {name: _with_values(member, closed) for name, member in part.items()}
        case list():
            return [_with_values(member, closed) for member in part]
    return part


def _without_nulls(schema: Schema) -> Schema:
    """Returns the schema of an element without nulls: a document leaves out a member without a value."""
    properties = {name: _value(one) for name, one in schema["properties"].items()}
    return schema | {"properties": properties}


def _value(schema: Schema) -> Schema:
    match schema:
        case {"anyOf": [value, {"type": "null"}], "default": None}:
            return dict(value)
    return schema


def _without(schema: Schema, optional: Collection[str]) -> Schema:
    return schema | {"required": [name for name in schema["required"] if name not in optional]}
