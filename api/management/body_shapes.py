"""Reads the body of a management request into its shape, or says what of it does not fit."""

import re
from typing import Final, TypeVar

import msgspec

from ...bundles.wording import alternatives, did_you_mean, quoted
from ..credentials.credential_shapes import SCOPES
from ..http.rejections import BodyRejected

_T = TypeVar("_T")
_KINDS: Final = {
    "array": "an array",
    "bool": "`true` or `false`",
    "float": "a number",
    "int": "a whole number",
    "object": "an object",
    "str": "a string",
}
_KIND: Final = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_LENGTH: Final = re.compile(r"Expected `(str|array)[^`]*` of length ([<>])= (\d+)")
_RANGE: Final = re.compile(r"Expected `(?:int|float)[^`]*` ([<>])= (\d+)")
_MISSING: Final = re.compile(r"Object missing required field `(.+)`", re.DOTALL)
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.+)`", re.DOTALL)
_NO_CHOICE: Final = re.compile(r"Invalid enum value '(.*)'", re.DOTALL)


def shaped(body: object, shape: type[_T], code: str) -> _T:
    """`body`, an object or what has its members as attributes, as `shape`, a struct.

    Raises BodyRejected with the `code`, and a sentence that begins with the member's name.
    """
    try:
        return msgspec.convert(body, shape, from_attributes=True)
    except msgspec.ValidationError as ex:
        message, _, path = str(ex).rpartition(" - at ") if " - at `" in str(ex) else (str(ex), "", "")
        path = path.strip("`") or "$"
        place = "the body" if path == "$" else quoted(path.removeprefix("$."))
        raise BodyRejected(code, _sentence(message, place, shape), path) from None


def _sentence(message: str, place: str, shape: type) -> str:
    """What msgspec says, in words of JSON. What it may say otherwise one day is shown as it is."""
    if found := _KIND.fullmatch(message):
        return f"{place} must be {_kinds(found[1])}, not {_kinds(found[2])}"
    if found := _LENGTH.fullmatch(message):
        if found[2] == ">" and found[3] == "1":
            return f"{place} must not be empty"
        unit = "characters" if found[1] == "str" else "items"
        return f"{place} must have {_bound(found[2])} {found[3]} {unit}"
    if found := _RANGE.fullmatch(message):
        return f"{place} must be {_bound(found[1])} {found[2]}"
    if found := _MISSING.fullmatch(message):
        return f"{quoted(found[1])} is missing"
    if found := _UNKNOWN.fullmatch(message):
        near = did_you_mean(found[1], [one.name for one in msgspec.structs.fields(shape)])
        return f"there is no member {quoted(found[1])} here{near and f'; {near}'}"
    if found := _NO_CHOICE.fullmatch(message):
        return f"{place} must be {alternatives(SCOPES)}, not {quoted(found[1])}"
    return f"{place}: {message[:1].lower()}{message[1:]}"


def _kinds(names: str) -> str:
    return " or ".join(_KINDS.get(name, name) for name in names.split(" | "))


def _bound(sign: str) -> str:
    return "at least" if sign == ">" else "at most"
