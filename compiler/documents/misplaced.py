"""Tells where a member belongs that stands at the wrong place, which is most often a fault of indentation."""

import re
from collections.abc import Iterator

from msgspec import inspect

from ...bundles.wording import Path, quoted
from ..model.elements import LISTS
from .schema_check import needed, type_of

_NOUNS = {
    "resource_types": "a resource type",
    "roles": "a role",
    "groups": "a group",
    "subjects": "a subject",
    "resources": "a resource",
    "assignments": "an assignment",
    "grants": "a grant",
    "policies": "a policy",
    "routes": "a route",
}
_LIST_OF = {re.sub("ies$", "y", name).removesuffix("s").replace("_", ""): name for name in LISTS}
"""The lists by their singulars, without `_`."""

_COMMON = frozenset(("id", "name", "type", "attributes", "key", "value"))
"""Members of many objects, which tell nothing about the place that was meant."""


def belongs_elsewhere(name: str, path: Path) -> str:
    """Returns help for an unknown member of the object at `path`, or "" if no near object has such a member.

    >>> belongs_elsewhere("conditions", ())
    '`conditions` belongs in a policy: check its indentation'
    >>> belongs_elsewhere("role", ())
    'did you mean `roles`?'
    >>> belongs_elsewhere("resource_attrs", ("policies", 0))
    '`resource_attrs` belongs in `conditions`: indent it below'
    """
    if name in _COMMON:
        return ""
    if not path:
        return _plural(name) or _in_element(name)
    around = [*_around(path)]
    if not around:
        return ""
    for field in around[-1][1].fields:
        if _has(field.type, name):
            return f"{quoted(name)} belongs in {quoted(field.encode_name)}: indent it below"
    for owner, shape in reversed(around[:-1]):
        if any(field.encode_name == name for field in shape.fields):
            return f"{quoted(name)} belongs in {owner}: indent it less"
    return ""


def _plural(name: str) -> str:
    """Returns help for the singular of a list, which is also a member of some elements: the list is what is meant."""
    meant = _LIST_OF.get(name.casefold().replace("_", "").replace("-", ""))
    return f"did you mean {quoted(meant)}?" if meant else ""


def _in_element(name: str) -> str:
    """Returns help for a member of the root that is one of an element, first of all of a policy."""
    for list_name in ("policies", *LISTS):
        if list_name in _NOUNS and _has(type_of(LISTS[list_name]), name):
            return f"{quoted(name)} belongs in {_NOUNS[list_name]}: check its indentation"
    policy = type_of(LISTS["policies"])
    assert isinstance(policy, inspect.StructType)
    for field in policy.fields:
        if _has(field.type, name):
            return f"{quoted(name)} belongs in {quoted(field.encode_name)} of a policy: check its indentation"
    return ""


def _around(path: Path) -> Iterator[tuple[str, inspect.StructType]]:
    """Yields the objects from an element to the object at `path`, each with what it is called."""
    name, _, *steps = path if len(path) > 1 else (*path, 0)
    if name not in LISTS:
        return
    here: inspect.Type = type_of(LISTS[str(name)])
    owner = _NOUNS.get(str(name), quoted(str(name)))
    assert isinstance(here, inspect.StructType)
    yield owner, here
    for step in steps:
        if isinstance(step, int):
            here = here.item_type if isinstance(here, inspect.VarTupleType) else here
        elif isinstance(here, inspect.StructType):
            here = next((needed(field.type) for field in here.fields if field.encode_name == step), here)
            owner = quoted(step)
        if isinstance(here, inspect.StructType):
            yield owner, here


def _has(expected: inspect.Type, name: str) -> bool:
    """Returns whether an object of this type, or each object of this list, has a member with that name."""
    inner = needed(expected) if isinstance(expected, inspect.UnionType) else expected
    if isinstance(inner, inspect.VarTupleType):
        inner = inner.item_type
    return isinstance(inner, inspect.StructType) and any(field.encode_name == name for field in inner.fields)
