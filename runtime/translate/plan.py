"""A filter over the columns that hold it, said in the few ways that every target must know.

What the type of a column decides is decided here, once: `eq "x"` on a column of numbers is false, `ne "x"` on it asks
whether there is a value. Every leaf is true or false of a row, never unknown, so that negation stays plain (F5).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, assert_never

from ...bundles.conditions.comparisons import constants_of
from ...bundles.conditions.keys import steps_of
from ...bundles.conditions.literals import Place, literal_of
from ...bundles.conditions.operators import Operator, Ordering
from ...bundles.conditions.values import Json as Constant
from ...bundles.conditions.values import is_number, is_text
from . import numbers
from .errors import Untranslatable
from .fields import Attributes, Boolean, Decimal, Field, Fields, Integer, Json, Real, Text, field_of
from .tree import All, Comparison, Const, Node, Not, Some, TreeLimits, read_tree


@dataclass(frozen=True, slots=True)
class Present:
    """There is a value of the asked type."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """It equals one of the values, all of the column's type, at least one."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """There is a value, and it equals none of these."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Ordered:
    """It is greater or less (C4)."""

    op: Ordering
    value: Any


@dataclass(frozen=True, slots=True)
class Holds:
    """A string with this text, which is not empty, at a place."""

    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Matches:
    """A string in which an RE2 pattern is found that is more than text."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Size:
    """An array of so many elements."""

    length: int


@dataclass(frozen=True, slots=True)
class Keys:
    """An object without any member but these."""

    names: tuple[str, ...]


Says: TypeAlias = Present | OneOf | NoneOf | Ordered | Holds | Matches | Size | Keys
JsonType: TypeAlias = Literal["any", "string", "number", "boolean", "array", "object"]
TypedField: TypeAlias = Text | Integer | Real | Decimal | Boolean


@dataclass(frozen=True, slots=True)
class Cell:
    """What a column of one type says; `path` is the node's place in the filter."""

    field: TypedField
    says: Says
    path: str


@dataclass(frozen=True, slots=True)
class JsonCell:
    """What a JSON value says that `steps` lead to, which is false of one of another type."""

    column: Any
    steps: tuple[str | int, ...]
    type: JsonType
    says: Says
    path: str


@dataclass(frozen=True, slots=True)
class Every:
    """Every part holds; two at least."""

    parts: "tuple[Plan, ...]"


@dataclass(frozen=True, slots=True)
class Either:
    """One part holds at least; two at least."""

    parts: "tuple[Plan, ...]"


@dataclass(frozen=True, slots=True)
class Without:
    """The part does not hold."""

    part: "Plan"


Plan: TypeAlias = bool | Cell | JsonCell | Every | Either | Without


def plan(tree: Any, fields: Fields, target: str, limits: TreeLimits | None = None) -> Plan:
    """The filter over the columns of `fields`. Raises BadFilter, and Untranslatable for an unknown field."""
    return _planned(read_tree(tree, limits), fields, target)


def every(parts: "list[Plan]") -> Plan:
    """All of the parts, what is constant folded away."""
    found = [part for part in parts if part is not True]
    if any(part is False for part in found):
        return False
    return True if not found else found[0] if len(found) == 1 else Every(tuple(found))


def either(parts: "list[Plan]") -> Plan:
    """One of the parts, what is constant folded away."""
    found = [part for part in parts if part is not False]
    if any(part is True for part in found):
        return True
    return False if not found else found[0] if len(found) == 1 else Either(tuple(found))


def without(part: Plan) -> Plan:
    """The negation, a constant's folded."""
    return not part if isinstance(part, bool) else Without(part)


def _planned(node: Node, fields: Fields, target: str) -> Plan:
    match node:
        case Const(value):
            return value
        case Comparison():
            return _compared(node, field_of(fields, node.key, node.path, target), target)
        case All(parts):
            return every([_planned(part, fields, target) for part in parts])
        case Some(parts):
            return either([_planned(part, fields, target) for part in parts])
        case Not(part):
            return without(_planned(part, fields, target))
        case _:
            assert_never(node)


def _compared(node: Comparison, field: Field, target: str) -> Plan:
    if _holds_no_text(node.constant):
        raise Untranslatable(
            node.path, target, "the constant holds a lone surrogate, which is no text", "take it out of the policy"
        )
    match field:
        case Json(column, path):
            return _json(node, column, path)
        case Attributes(column):
            whole, steps = _json(node, column, (node.key,)), steps_of(node.key)
            if not steps:
                return whole
            absent = without(JsonCell(column, (node.key,), "any", Present(), node.path))
            return either([whole, every([absent, _json(node, column, steps)])])
        case _:
            return _typed(node, field)


def _holds_no_text(constant: Constant) -> bool:
    if isinstance(constant, list):
        return any(map(_holds_no_text, constant))
    if isinstance(constant, dict):
        return any(map(_holds_no_text, (*constant, *constant.values())))
    return isinstance(constant, str) and not is_text(constant)


def _typed(node: Comparison, field: TypedField) -> Plan:
    op, constant = node.op, node.constant
    match op:
        case Operator.EQ | Operator.IN:
            values = _equals(field, constants_of(op, constant))
            return Cell(field, OneOf(values), node.path) if values else False
        case Operator.NE | Operator.NIN:
            values = _equals(field, constants_of(op, constant))
            return Cell(field, NoneOf(values) if values else Present(), node.path)
        case Operator.REGEX:
            return Cell(field, _pattern(constant), node.path) if isinstance(field, Text) else False
        case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
            bound = _ordered(field, op, constant)
            if isinstance(bound, bool):
                return Cell(field, Present(), node.path) if bound else False
            return Cell(field, Ordered(*bound), node.path)
        case _:
            assert_never(op)


def _equals(field: TypedField, constants: Sequence[Constant]) -> tuple[Any, ...]:
    """Returns the column's own values that are `eq` to one of the constants, each once."""
    return tuple(dict.fromkeys(found for item in constants if (found := _equal(field, item)) is not None))


def _equal(field: TypedField, constant: Constant) -> Any:
    """The column's own value that is `eq` to the constant, None where it has none (C3)."""
    match field:
        case Text():
            return constant if isinstance(constant, str) else None
        case Boolean():
            return constant if isinstance(constant, bool) else None
    if not is_number(constant):
        return None
    if isinstance(field, Decimal):
        return numbers.decimal(constant, field.digits)
    return numbers.integer(constant) if isinstance(field, Integer) else numbers.real(constant)


def _ordered(field: TypedField, op: Ordering, constant: Constant) -> numbers.Bound:
    """The column's own bound that means the same, or what is so of every value in it (C4)."""
    match field:
        case Text():
            return (op, constant) if isinstance(constant, str) else False
        case Boolean():
            return False
    if not is_number(constant):
        return False
    if isinstance(field, Decimal):
        return numbers.decimal_bound(op, constant, field.digits)
    return numbers.integer_bound(op, constant) if isinstance(field, Integer) else numbers.real_bound(op, constant)


def _pattern(pattern: str) -> Says:
    found = literal_of(pattern)
    if found is None:
        return Matches(pattern)
    text, place = found
    if place == "whole":
        return OneOf((text,))
    return Holds(text, place) if text else Present()


def _json(node: Comparison, column: Any, steps: tuple[str | int, ...]) -> Plan:
    op, constant = node.op, node.constant

    def cell(type: JsonType, says: Says, at: tuple[str | int, ...] = steps) -> Plan:
        return JsonCell(column, at, type, says, node.path)

    def among(constants: Sequence[Constant], at: tuple[str | int, ...]) -> Plan:
        """Whether the value at `at` equals one of them, deeply: element by element (C3)."""
        scalars: list[tuple[JsonType, tuple[Any, ...]]] = [
            ("string", tuple(dict.fromkeys(item for item in constants if isinstance(item, str)))),
            ("number", tuple(dict.fromkeys(item for item in constants if is_number(item)))),
            ("boolean", tuple(dict.fromkeys(item for item in constants if isinstance(item, bool)))),
        ]
        parts = [cell(type, OneOf(values), at) for type, values in scalars if values]
        for item in constants:
            if isinstance(item, list):
                inside = [among([element], (*at, place)) for place, element in enumerate(item)]
                parts.append(every([cell("array", Size(len(item)), at), *inside]))
            elif isinstance(item, dict):
                inside = [among([member], (*at, name)) for name, member in item.items()]
                parts.append(every([cell("object", Keys(tuple(item)), at), *inside]))
        return either(parts)

    match op:
        case Operator.EQ | Operator.IN:
            return among(constants_of(op, constant), steps)
        case Operator.NE | Operator.NIN:
            return every([cell("any", Present()), without(among(constants_of(op, constant), steps))])
        case Operator.REGEX:
            return cell("string", _pattern(constant))
        case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
            return cell("string" if isinstance(constant, str) else "number", Ordered(op, constant))
        case _:
            assert_never(op)
