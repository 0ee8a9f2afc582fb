"""The structural check: a raw value against the class that an element of the model document must have."""

from collections.abc import Iterator
from functools import cache, lru_cache

from msgspec import Struct, inspect

from ...bundles.conditions.values import Json
from ...bundles.wording import alternatives, described, joined, quoted
from ..diagnostics.diagnostic import Finding, Path
from ..diagnostics.synonyms import meant_by
from .raw_values import OddObject, Unreadable

_REMEMBERED_NAMES = 1_024
_FLAGS = frozenset(["true", "false"])


def shape_faults(value: Json, shape: type[Struct], path: Path) -> Iterator[Finding]:
    """Every way in which `value` does not fit `shape`; nothing where it does.

    A null never fits: an optional member is left out. What is `Unreadable` was reported already, and fits.
    """
    return _faults(value, type_of(shape), path)


@cache
def type_of(shape: type[Struct]) -> inspect.Type:
    """What a value of `shape` may be."""
    return inspect.type_info(shape)


@cache
def holds_free_values(shape: type[Struct]) -> bool:
    """Whether values of `shape` can hold JSON of any form, to any depth."""
    return _is_free(type_of(shape))


@lru_cache(_REMEMBERED_NAMES)
def _meant(name: str, known: frozenset[str]) -> str:
    """PERF: the same slip stands in a million elements, and a search takes 30 µs."""
    return meant_by(name, known)


def _meant_flag(value: Json) -> str:
    if not isinstance(value, str):
        return ""
    return "leave the quotes out" if value in _FLAGS else _meant(value, _FLAGS)


def _is_free(expected: inspect.Type) -> bool:
    match expected:
        case inspect.StructType(fields=fields):
            return any(_is_free(field.type) for field in fields)
        case inspect.UnionType(types=types):
            return any(map(_is_free, types))
        case inspect.VarTupleType(item_type=inner) | inspect.DictType(value_type=inner):
            return _is_free(inner)
        case _:
            return isinstance(expected, inspect.AnyType)


def _faults(value: Json, expected: inspect.Type, path: Path) -> Iterator[Finding]:
    if isinstance(value, Unreadable):
        return
    match expected:
        case inspect.AnyType():
            return
        case inspect.UnionType(types=types):
            yield from _optional(value, types, path)
        case inspect.StructType():
            yield from _struct(value, expected, path)
        case inspect.VarTupleType():
            yield from _array(value, expected, path)
        case inspect.DictType():
            yield from _map(value, expected, path)
        case inspect.LiteralType(values=values):
            yield from _choice(value, [str(choice) for choice in values], path)
        case inspect.EnumType(cls=choices):
            yield from _choice(value, [str(choice) for choice in choices], path)
        case inspect.StrType():
            yield from _string(value, expected, path)
        case inspect.IntType():
            yield from _integer(value, expected, path)
        case inspect.BoolType():
            if not isinstance(value, bool):
                yield _wrong_type("`true` or `false`", value, path, _meant_flag(value))
        case _:
            raise TypeError(f"the model has a member of a type that no document is checked for: {expected}")


def form_of(expected: inspect.Type) -> str:
    """What an array or an object of the model has in it.

    >>> from writ.compiler.model.elements import Role
    >>> form_of(type_of(Role)), form_of(inspect.VarTupleType(type_of(Role)))
    ('an object with `id`', 'an array, each element an object with `id`')
    """
    match expected:
        case inspect.StructType(fields=fields):
            required = [quoted(field.encode_name) for field in fields if field.required]
            some = [quoted(field.encode_name) for field in fields]
            return f"an object with {joined(required, 'and') if required else joined(some, 'or')}"
        case inspect.VarTupleType(item_type=inspect.StructType() as item):
            return f"an array, each element {form_of(item)}"
        case _:
            return "an array of strings"


def _optional(value: Json, types: tuple[inspect.Type, ...], path: Path) -> Iterator[Finding]:
    faults = _faults(value, needed(types), path)
    if value is None:
        faults = (Finding(fault.code, fault.message, path, "leave the member out") for fault in faults)
    yield from faults


def needed(types: tuple[inspect.Type, ...]) -> inspect.Type:
    """Of the types of an optional member, the one that is not null."""
    (inner,) = (kind for kind in types if not isinstance(kind, inspect.NoneType))
    return inner


def _struct(value: Json, expected: inspect.StructType, path: Path) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield _wrong_type("an object", value, path, f"write {form_of(expected)}")
        return
    fields = {field.encode_name: field for field in expected.fields}
    lacks_members = isinstance(value, OddObject) and value.lacks_members
    for name in (name for name in value if name not in fields):
        help_text = _meant(name, frozenset(fields.keys() - value.keys()))
        yield Finding("unknown-member", f"unknown member {quoted(name)}", (*path, name), help_text, at_key=True)
    for name, field in fields.items():
        if name in value:
            yield from _faults(value[name], field.type, (*path, name))
        elif field.required and not lacks_members:
            yield Finding("missing-member", f"the member {quoted(name)} is missing", path)


def _array(value: Json, expected: inspect.VarTupleType, path: Path) -> Iterator[Finding]:
    if not isinstance(value, list):
        yield _wrong_type("an array", value, path, f"write {form_of(expected)}")
        return
    for index, item in enumerate(value):
        yield from _faults(item, expected.item_type, (*path, index))


def _map(value: Json, expected: inspect.DictType, path: Path) -> Iterator[Finding]:
    if not isinstance(value, dict):
        yield _wrong_type("an object", value, path)
        return
    for name, member in value.items():
        for fault in _faults(name, expected.key_type, (*path, name)):
            yield Finding(fault.code, fault.message, fault.path, fault.help, at_key=True)
        yield from _faults(member, expected.value_type, (*path, name))


def _choice(value: Json, choices: list[str], path: Path) -> Iterator[Finding]:
    if not isinstance(value, str):
        yield _wrong_type(alternatives(choices), value, path)
    elif value not in choices:
        found = f"unknown value {quoted(value)}" if value else "an empty string"
        message = f"{found}, expected {alternatives(choices)}"
        yield Finding("unknown-value", message, path, _meant(value, frozenset(choices)))


def _string(value: Json, expected: inspect.StrType, path: Path) -> Iterator[Finding]:
    if not isinstance(value, str):
        help_text = "put it in quotes" if isinstance(value, bool | int | float) else ""
        yield _wrong_type("a string", value, path, help_text)
    elif expected.min_length is not None and len(value) < expected.min_length:
        yield Finding("too-short", "an empty string where at least one character is needed", path)
    elif expected.max_length is not None and len(value) > expected.max_length:
        message = f"the string has {len(value)} characters, the limit is {expected.max_length}"
        yield Finding("too-long", message, path)


def _integer(value: Json, expected: inspect.IntType, path: Path) -> Iterator[Finding]:
    if not isinstance(value, int) or isinstance(value, bool):
        is_digits = isinstance(value, str) and value.removeprefix("-").isdecimal()
        yield _wrong_type("a whole number", value, path, "leave the quotes out" if is_digits else "")
        return
    low, high = expected.ge, expected.le
    if (low is not None and value < low) or (high is not None and value > high):
        message = f"the number {quoted(value)} is out of range, expected {low} to {high}"
        yield Finding("out-of-range", message, path)


def _wrong_type(expected: str, value: Json, path: Path, help_text: str = "") -> Finding:
    return Finding("wrong-type", f"expected {expected}, found {described(value)}", path, help_text)
