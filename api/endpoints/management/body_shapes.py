"""Reads the body of a management request into its struct, or says which of its members does not fit."""

from typing import TypeVar

import msgspec
from msgspec import inspect

from ....bundles.conditions.values import Json
from ....bundles.wording import alternatives, did_you_mean, quoted, show_path
from ....compiler.documents.schema_check import Fault, allows_null, choices_of, needed, schema_faults
from ...http.rejections import BodyRejected
from ...identity.credential_shapes import in_order

_T = TypeVar("_T", bound=msgspec.Struct)


def shaped(body: Json, shape: type[_T], code: str) -> _T:
    """Returns `body`, as JSON was decoded, as the struct `shape`.

    Raises:
        BodyRejected: the body does not fit. The error has the `code`, and names the first fault.
    """
    try:
        return msgspec.convert(body, shape)
    except msgspec.ValidationError as ex:
        fault = next(schema_faults(body, shape, nullable=True), None)
        if fault is None:
            raise BodyRejected(code, str(ex)) from None
        raise BodyRejected(code, _sentence(fault), show_path(fault.path)) from None


def _sentence(fault: Fault) -> str:
    """Returns what is wrong, in a sentence that begins with the member's name."""
    place = quoted(show_path(fault.path).removeprefix("$.")) if fault.path else "the body"
    match fault.problem:
        case "unknown-member":
            near = did_you_mean(fault.member, _names(fault.expected))
            return f"there is no member {quoted(fault.member)} here{near and f'; {near}'}"
        case "missing-member":
            return f"{quoted(fault.member)} is missing"
        case "wrong-type":
            or_null = " or null" if allows_null(fault.expected) else ""
            return f"{place} must be {_type(needed(fault.expected))}{or_null}, not {_type_of(fault.found)}"
        case "unknown-value":
            return f"{place} must be {_choices(needed(fault.expected))}, not {quoted(fault.found)}"
        case _:
            return f"{place} must {_bound(fault.found, needed(fault.expected))}"


def _names(expected: inspect.Type) -> list[str]:
    assert isinstance(expected, inspect.StructType)
    return [field.encode_name for field in expected.fields]


def _choices(expected: inspect.Type) -> str:
    """Returns the words of a closed type, scopes from the lowest up."""
    assert isinstance(expected, inspect.LiteralType | inspect.EnumType)
    words = choices_of(expected)
    return alternatives(in_order(words) or words)


def _bound(found: Json, expected: inspect.Type) -> str:
    """Returns the bound that a value of the right type does not keep."""
    match expected:
        case inspect.StrType(min_length=low, max_length=high) | inspect.VarTupleType(min_length=low, max_length=high):
            unit = "characters" if isinstance(found, str) else "items"
            if low is not None and len(found) < low:
                return "not be empty" if low == 1 else f"have at least {low} {unit}"
            return f"have at most {high} {unit}"
        case inspect.IntType(ge=low, le=high):
            return f"be at least {low}" if low is not None and found < low else f"be at most {high}"
        case _:
            raise TypeError(f"a body has a bound that it is not checked for: {expected}")


def _type(expected: inspect.Type) -> str:
    match expected:
        case inspect.StructType() | inspect.DictType():
            return "an object"
        case inspect.VarTupleType():
            return "an array"
        case inspect.StrType() | inspect.LiteralType() | inspect.EnumType():
            return "a string"
        case inspect.IntType():
            return "a whole number"
        case inspect.BoolType():
            return "`true` or `false`"
        case _:
            raise TypeError(f"a body has a member of a type that it is not checked for: {expected}")


def _type_of(found: Json) -> str:
    match found:
        case None:
            return "null"
        case bool():
            return "`true` or `false`"
        case int():
            return "a whole number"
        case float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case _:
            return "an object"
