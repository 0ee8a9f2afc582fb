"""The normal form of a model's elements: lists whose order has no meaning are sorted, without repeats.

Each tuple in the model's classes is a set: actions, members, days, roles, scopes, conditions, addresses. The arrays
that operators of lists compare with are sets too (C5, X6). Other JSON arrays keep their order.
"""

from collections.abc import Iterable
from functools import cache, lru_cache
from operator import is_
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, inspect
from msgspec.structs import replace

from ...bundles.conditions.constants import CanonicalKey, canonical_key
from ...bundles.conditions.operators import TAKES_LIST
from ...bundles.conditions.values import Json
from .elements import AttributeDeclaration, Condition, Declared, DeclaredAttributes, Key, ResourceType

Part = TypeVar("Part", bound=Struct)

canonical_json = msgspec.json.Encoder(order="deterministic").encode
"""Encodes a part of a model as JSON, with the members of objects in a fixed order."""


def normalised(part: Part) -> Part:
    """Returns an element of a model, or a part of one, with every set sorted and without repeats.

    >>> from writ.bundles.conditions.operators import Operator
    >>> normalised(Condition("k", Operator.IN, ["b", 2, "a", 2.0])).value
    [2, 'a', 'b']
    >>> normalised(Condition("k", Operator.EQ, ["b", "a"])).value
    ['b', 'a']
    """
    if isinstance(part, Condition):
        is_set = TAKES_LIST[part.op] and isinstance(part.value, list)
        return replace(part, value=sorted_unique(part.value)) if is_set else part
    if isinstance(part, DeclaredAttributes):
        subject = part.subject and {type: _short(kinds) for type, kinds in part.subject.items()}
        return replace(part, subject=subject, context=_short(part.context), action=_short(part.action))
    changed: dict[str, Any] = {}
    if isinstance(part, ResourceType) and part.attributes:
        changed["attributes"] = _short(part.attributes)
    for name in _members_with_sets(type(part)):
        member = getattr(part, name)
        ordered = _set(member) if isinstance(member, tuple) else _part(member)
        # Compared by identity: `1` and `True` are equal in Python, so two different orders may be equal too.
        if ordered is not member:
            changed[name] = ordered
    return replace(part, **changed) if changed else part


def short_form(declared: Declared) -> Declared:
    """Returns the shortest form of a declaration, with its values sorted and each once.

    >>> short_form(AttributeDeclaration("string", ("b", "a", "b")))
    AttributeDeclaration(kind='string', one_of=('a', 'b'), required=False)
    >>> short_form(AttributeDeclaration("string"))
    'string'
    """
    if not isinstance(declared, AttributeDeclaration):
        return declared
    if declared.one_of is not None:
        return replace(declared, one_of=tuple(sorted_unique(declared.one_of)))
    return declared if declared.required else declared.kind


def sorted_unique(constants: Iterable[Json]) -> list[Json]:
    """Returns the constants of a set, each once and in order.

    >>> sorted_unique([True, "b", 1.0, 1, "a"])
    [True, 1, 'a', 'b']
    """
    found: dict[CanonicalKey, Json] = {}
    for constant in sorted(constants, key=canonical_json):
        found.setdefault(canonical_key(constant), constant)
    return [found[key] for key in sorted(found)]


def _short(kinds: dict[Key, Declared] | None) -> Any:
    return kinds and {key: short_form(declared) for key, declared in kinds.items()}


def _part(member: Any) -> Any:
    return normalised(member) if isinstance(member, Struct) else member


def _set(members: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the members of a set, strings or parts of the model, in order. PERF: most sets have one member."""
    if members and isinstance(members[0], str):
        texts = _texts(members)
        return members if texts == members else texts
    if len(members) == 1:
        part = _part(members[0])
        return members if part is members[0] else (part,)
    found = {canonical_json(member): member for member in map(_part, members)}
    ordered = tuple(found[text] for text in sorted(found))
    return members if len(ordered) == len(members) and all(map(is_, ordered, members)) else ordered


@lru_cache(4_096)
def _texts(members: tuple[str, ...]) -> tuple[str, ...]:
    """Returns texts in the order of their JSON. PERF: a million grants have few sets of actions."""
    return tuple(sorted(set(members), key=canonical_json))


@cache
def _members_with_sets(shape: type[Struct]) -> tuple[str, ...]:
    """Returns the names of the members that can contain sets. PERF: the other members are not searched."""
    return tuple(field.name for field in msgspec.structs.fields(shape) if _has_sets(inspect.type_info(field.type)))


def _has_sets(kind: inspect.Type) -> bool:
    match kind:
        case inspect.UnionType(types=types):
            return any(map(_has_sets, types))
        case inspect.StructType(cls=shape):
            return bool(_members_with_sets(shape))
        case _:
            return isinstance(kind, inspect.VarTupleType)
