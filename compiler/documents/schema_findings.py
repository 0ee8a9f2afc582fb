"""Words the faults of a value that does not fit its class: a message, and help for the author of the document."""

from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct, inspect

from ...bundles.conditions.values import Json
from ...bundles.wording import Path, alternatives, described, joined, quoted
from ..diagnostics.diagnostic import Finding
from ..diagnostics.synonyms import suggest
from .misplaced import belongs_elsewhere
from .schema_check import Fault, allows_null, choices_of, needed, schema_faults

_REMEMBERED_NAMES = 1_024
_FLAGS = frozenset(["true", "false"])


def schema_findings(value: Json, shape: type[Struct], path: Path) -> Iterator[Finding]:
    """Yields a finding for every way in which `value` does not fit `shape`; see `schema_faults`."""
    for fault in schema_faults(value, shape, path):
        at = (*fault.path, fault.member) if fault.problem == "unknown-member" else fault.path
        message, help_text = _message(fault)
        if fault.found is None and allows_null(fault.expected):
            has_members = isinstance(needed(fault.expected), inspect.StructType)
            help_text = "indent its members below it, or leave it out" if has_members else "leave the member out"
        yield Finding(fault.problem, message, at, help_text, at_key=fault.at_key or fault.problem == "unknown-member")


def describe_shape(expected: inspect.Type) -> str:
    """Returns what an array or an object of the model contains.

    >>> from writ.compiler.model.elements import Role
    >>> from writ.compiler.documents.schema_check import type_of
    >>> describe_shape(type_of(Role)), describe_shape(inspect.VarTupleType(type_of(Role)))
    ('an object with `id`', 'an array, each element an object with `id`')
    """
    match expected:
        case inspect.StructType(fields=fields):
            required = [quoted(field.encode_name) for field in fields if field.required]
            some = [quoted(field.encode_name) for field in fields]
            return f"an object with {joined(required, 'and') if required else joined(some, 'or')}"
        case inspect.VarTupleType(item_type=inspect.StructType() as item):
            return f"an array, each element {describe_shape(item)}"
        case _:
            return "an array of strings"


def _message(fault: Fault) -> tuple[str, str]:
    """Returns the message and the help."""
    match fault.problem:
        case "unknown-member":
            help_text = belongs_elsewhere(fault.member, fault.path) or _meant(fault.member, _names_left(fault))
            return f"unknown member {quoted(fault.member)}", help_text
        case "missing-member":
            return f"the member {quoted(fault.member)} is missing", ""
        case "wrong-type":
            expected, help_text = _wrong_type(fault.found, needed(fault.expected))
            return f"expected {expected}, found {described(fault.found)}", help_text
        case _:
            return _wrong_value(fault.found, needed(fault.expected))


def _names_left(fault: Fault) -> frozenset[str]:
    assert isinstance(fault.expected, inspect.StructType)
    assert isinstance(fault.found, dict)
    return frozenset({field.encode_name for field in fault.expected.fields} - fault.found.keys())


def _wrong_type(found: Json, expected: inspect.Type) -> tuple[str, str]:
    """Returns what was expected, and the help."""
    match expected:
        case inspect.StructType():
            return "an object", f"write {describe_shape(expected)}"
        case inspect.VarTupleType():
            return "an array", f"write {describe_shape(expected)}"
        case inspect.DictType():
            return "an object", ""
        case inspect.LiteralType() | inspect.EnumType():
            return alternatives(choices_of(expected)), ""
        case inspect.StrType():
            return "a string", "put it in quotes" if isinstance(found, bool | int | float) else ""
        case inspect.IntType():
            is_digits = isinstance(found, str) and found.removeprefix("-").isdecimal()
            return "a whole number", "leave the quotes out" if is_digits else ""
        case inspect.BoolType():
            return "`true` or `false`", _meant_flag(found)
        case _:
            raise TypeError(f"the model has a member of a type that no document is checked for: {expected}")


def _wrong_value(found: Json, expected: inspect.Type) -> tuple[str, str]:
    """Returns the message and the help for a value of the right type."""
    match found, expected:
        case str(), inspect.LiteralType() | inspect.EnumType():
            choices = choices_of(expected)
            value = f"unknown value {quoted(found)}" if found else "an empty string"
            return f"{value}, expected {alternatives(choices)}", _meant(found, frozenset(choices))
        case str(), inspect.StrType(max_length=limit):
            if limit is None or len(found) <= limit:
                return "the string is empty, but at least one character is required", ""
            return f"the string has {len(found)} characters, the limit is {limit}", ""
        case int(), inspect.IntType(ge=low, le=high):
            return f"the number {quoted(found)} is out of range, expected {low} to {high}", ""
        case _:
            raise TypeError(f"the model has a bound that no document is checked for: {expected}")


@lru_cache(_REMEMBERED_NAMES)
def _meant(name: str, known: frozenset[str]) -> str:
    """PERF: a search takes 30 µs, and a million elements may have the same wrong name."""
    return suggest(name, known)


def _meant_flag(value: Json) -> str:
    if not isinstance(value, str):
        return ""
    return "leave the quotes out" if value in _FLAGS else _meant(value, _FLAGS)
