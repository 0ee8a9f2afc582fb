"""Checks a raw value against the class of an element or of another JSON body."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, TypeAlias

from msgspec import Struct, inspect

from ...bundles.conditions.values import Json
from ...bundles.wording import Path
from .raw_values import FaultyObject, Unreadable

Problem: TypeAlias = Literal[
    "missing-member", "out-of-range", "too-long", "too-short", "unknown-member", "unknown-value", "wrong-type"
]


_CHECKED = (
    inspect.StructType,
    inspect.VarTupleType,
    inspect.DictType,
    inspect.LiteralType,
    inspect.EnumType,
    inspect.StrType,
    inspect.IntType,
    inspect.BoolType,
)
"""The kinds of types that members of a class may have. Another kind would not be checked, so it raises TypeError."""


_WRAPPERS = (inspect.Metadata, inspect.UnionType)
"""PERF: every member of a YAML document is tested for these. A union of types would take twice as long as a tuple."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which a value does not fit its class, before it is put into words.

    `found` is the value at `path`, and `expected` is its declared type. If `member` is missing or unknown, they are
    those of its object. With `at_key`, `found` is the name of a member, not its value.
    """

    problem: Problem
    path: Path
    expected: inspect.Type
    found: Json
    member: str = ""
    at_key: bool = False


def schema_faults(value: Json, shape: type[Struct], path: Path = (), nullable: bool = False) -> Iterator[Fault]:
    """Yields every way in which `value` does not fit `shape`, in the order of its members; nothing if it fits.

    With `nullable`, a member whose type allows null may be null. Without it, null never fits, and an optional member
    must be left out. An `Unreadable` value fits, because its fault was reported already.
    """
    return _faults(value, type_of(shape), path, nullable)


@cache
def type_of(shape: type[Struct]) -> inspect.Type:
    """Returns the type that describes `shape`."""
    return inspect.type_info(shape)


@cache
def allows_any_json(shape: type[Struct]) -> bool:
    """Returns whether values of `shape` can contain JSON of any form, to any depth."""
    return _is_free(type_of(shape))


def needed(expected: inspect.Type, value: Json = None) -> inspect.Type:
    """Returns the type of an optional member without null and without metadata.

    If a member is either a word or an object, it is the type of the object if `value` is one, and else that of the
    word.
    """
    while isinstance(expected, _WRAPPERS):
        if isinstance(expected, inspect.Metadata):
            expected = expected.type
        else:
            expected, *others = (one for one in expected.types if not isinstance(one, inspect.NoneType))
            if others and isinstance(expected, inspect.StructType) != isinstance(value, dict):
                (expected,) = others
    return expected


def allows_null(expected: inspect.Type) -> bool:
    """Returns whether a declared type includes null."""
    return isinstance(expected, inspect.UnionType) and any(isinstance(one, inspect.NoneType) for one in expected.types)


def choices_of(expected: inspect.LiteralType | inspect.EnumType) -> list[str]:
    """Returns the values of a closed type, as text."""
    values = expected.values if isinstance(expected, inspect.LiteralType) else [one.value for one in expected.cls]
    return [str(value) for value in values]


def _is_free(expected: inspect.Type) -> bool:
    match needed(expected):
        case inspect.StructType(fields=fields):
            return any(_is_free(field.type) for field in fields)
        case inspect.VarTupleType(item_type=inner) | inspect.DictType(value_type=inner):
            return _is_free(inner)
        case inner:
            return isinstance(inner, inspect.AnyType)


def _faults(value: Json, declared: inspect.Type, path: Path, nullable: bool) -> Iterator[Fault]:
    if isinstance(value, Unreadable) or (value is None and nullable and allows_null(declared)):
        return
    match needed(declared, value):
        case inspect.AnyType():
            return
        case inspect.StructType() as expected if isinstance(value, dict):
            yield from _struct(value, expected, path, nullable)
        case inspect.VarTupleType() as expected if isinstance(value, list):
            yield from _length(value, expected, path)
            for index, item in enumerate(value):
                yield from _faults(item, expected.item_type, (*path, index), nullable)
        case inspect.DictType() as expected if isinstance(value, dict):
            yield from _map(value, expected, path, nullable)
        case inspect.LiteralType() | inspect.EnumType() as expected if isinstance(value, str):
            if value not in choices_of(expected):
                yield Fault("unknown-value", path, declared, value)
        case inspect.StrType() as expected if isinstance(value, str):
            yield from _length(value, expected, path)
        case inspect.IntType(ge=low, le=high) if isinstance(value, int) and not isinstance(value, bool):
            if (low is not None and value < low) or (high is not None and value > high):
                yield Fault("out-of-range", path, declared, value)
        case inspect.BoolType() if isinstance(value, bool):
            return
        case expected if isinstance(expected, _CHECKED):
            yield Fault("wrong-type", path, declared, value)
        case expected:
            raise TypeError(f"a class has a member of a type that is not checked: {expected}")


def _struct(value: dict[str, Json], expected: inspect.StructType, path: Path, nullable: bool) -> Iterator[Fault]:
    fields = {field.encode_name: field for field in expected.fields}
    for name, member in value.items():
        if name in fields:
            yield from _faults(member, fields[name].type, (*path, name), nullable)
        else:
            yield Fault("unknown-member", path, expected, value, name)
    if not (isinstance(value, FaultyObject) and value.lacks_members):
        for name, field in fields.items():
            if field.required and name not in value:
                yield Fault("missing-member", path, expected, value, name)


def _map(value: dict[str, Json], expected: inspect.DictType, path: Path, nullable: bool) -> Iterator[Fault]:
    for name, member in value.items():
        for fault in _faults(name, expected.key_type, (*path, name), nullable):
            yield replace(fault, at_key=True)
        yield from _faults(member, expected.value_type, (*path, name), nullable)


def _length(value: str | list[Json], expected: inspect.StrType | inspect.VarTupleType, path: Path) -> Iterator[Fault]:
    if expected.min_length is not None and len(value) < expected.min_length:
        yield Fault("too-short", path, expected, value)
    elif expected.max_length is not None and len(value) > expected.max_length:
        yield Fault("too-long", path, expected, value)
