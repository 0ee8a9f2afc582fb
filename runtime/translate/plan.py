"""Plans a filter over columns: replaces each comparison by conditions on the column that its key is mapped to.

The type of a column decides here, once, for every target: `eq "x"` on a column of numbers is false, `ne "x"` on it
asks whether there is a value.
"""

from collections.abc import Sequence
from typing import Any, TypeAlias, assert_never

from ...bundles.conditions.comparisons import constants_of
from ...bundles.conditions.keys import steps_of
from ...bundles.conditions.literals import literal_of
from ...bundles.conditions.operators import Operator, Ordering
from ...bundles.conditions.trees.tree import (
    FALSE,
    And,
    Comparison,
    Const,
    FilterTree,
    Not,
    Or,
    Tree,
    fold_and,
    fold_not,
    fold_or,
)
from ...bundles.conditions.values import Json as Constant
from ...bundles.conditions.values import is_number, is_text
from . import column_numbers as numbers
from .conditions import (
    ArrayLength,
    ColumnCondition,
    JsonCondition,
    JsonType,
    Matches,
    NoneOf,
    OneOf,
    OnlyMembers,
    Ordered,
    Present,
    Substring,
    TypedField,
    ValueTest,
)
from .errors import Untranslatable
from .fields import Attributes, Boolean, Decimal, Field, Fields, Integer, Json, Text, field_of
from .read_tree import ROOT, TreeLimits, path_of_child, read_tree

Plan: TypeAlias = Tree[ColumnCondition | JsonCondition]


def plan(tree: Any, fields: Fields, target: str, limits: TreeLimits | None = None) -> Plan:
    """Returns the filter over the columns of `fields`. Raises BadFilter, and Untranslatable for an unknown field."""
    return _planned(read_tree(tree, limits), ROOT, fields, target)


def _planned(tree: FilterTree, path: str, fields: Fields, target: str) -> Plan:
    match tree:
        case Comparison(key):
            return _condition(tree, path, field_of(fields, key, path, target), target)
        case And(children):
            return fold_and(_children(children, path, fields, target))
        case Or(children):
            return fold_or(_children(children, path, fields, target))
        case Not(child):
            return fold_not(_planned(child, path_of_child(path, 0), fields, target))
        case Const():
            return tree
        case _:
            assert_never(tree)


def _children(children: tuple[FilterTree, ...], path: str, fields: Fields, target: str) -> list[Plan]:
    return [_planned(child, path_of_child(path, number), fields, target) for number, child in enumerate(children)]


def _condition(comparison: Comparison, path: str, field: Field, target: str) -> Plan:
    if _has_lone_surrogate(comparison.value):
        raise Untranslatable(
            path, target, "the constant holds a lone surrogate, which is no text", "take it out of the policy"
        )
    match field:
        case Json(column, steps):
            return _json(comparison, path, column, steps)
        case Attributes(column):
            key = comparison.key
            whole, steps = _json(comparison, path, column, (key,)), steps_of(key)
            if not steps:
                return whole
            absent: Plan = Not(JsonCondition(column, (key,), "any", Present(), path))
            return fold_or([whole, fold_and([absent, _json(comparison, path, column, steps)])])
        case _:
            return _typed(comparison, path, field)


def _has_lone_surrogate(constant: Constant) -> bool:
    if isinstance(constant, list):
        return any(map(_has_lone_surrogate, constant))
    if isinstance(constant, dict):
        return any(map(_has_lone_surrogate, (*constant, *constant.values())))
    return isinstance(constant, str) and not is_text(constant)


def _typed(comparison: Comparison, path: str, field: TypedField) -> Plan:
    op, constant = comparison.op, comparison.value
    match op:
        case Operator.EQ | Operator.IN:
            values = _equals(field, constants_of(op, constant))
            return ColumnCondition(field, OneOf(values), path) if values else FALSE
        case Operator.NE | Operator.NIN:
            values = _equals(field, constants_of(op, constant))
            return ColumnCondition(field, NoneOf(values) if values else Present(), path)
        case Operator.REGEX:
            return ColumnCondition(field, _pattern(constant), path) if isinstance(field, Text) else FALSE
        case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
            bound = _ordered(field, op, constant)
            if isinstance(bound, bool):
                return ColumnCondition(field, Present(), path) if bound else FALSE
            return ColumnCondition(field, Ordered(*bound), path)
        case _:
            assert_never(op)


def _equals(field: TypedField, constants: Sequence[Constant]) -> tuple[Any, ...]:
    """Returns the column's own values that are `eq` to one of the constants, each once."""
    return tuple(dict.fromkeys(found for item in constants if (found := _equal(field, item)) is not None))


def _equal(field: TypedField, constant: Constant) -> Any:
    """Returns the column's own value that is `eq` to the constant, or None if it has none (C3)."""
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
    """Returns the column's own bound that means the same, or a boolean that is right for all its values (C4)."""
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


def _pattern(pattern: str) -> ValueTest:
    found = literal_of(pattern)
    if found is None:
        return Matches(pattern)
    text, position = found
    if position == "whole":
        return OneOf((text,))
    return Substring(text, position) if text else Present()


def _json(comparison: Comparison, path: str, column: Any, steps: tuple[str | int, ...]) -> Plan:
    op, constant = comparison.op, comparison.value

    def condition(type: JsonType, test: ValueTest, at: tuple[str | int, ...] = steps) -> Plan:
        return JsonCondition(column, at, type, test, path)

    def among(constants: Sequence[Constant], at: tuple[str | int, ...]) -> Plan:
        """Returns whether the value at `at` equals one of them, deeply: element by element (C3)."""
        scalars: list[tuple[JsonType, tuple[Any, ...]]] = [
            ("string", tuple(dict.fromkeys(item for item in constants if isinstance(item, str)))),
            ("number", tuple(dict.fromkeys(item for item in constants if is_number(item)))),
            ("boolean", tuple(dict.fromkeys(item for item in constants if isinstance(item, bool)))),
        ]
        found = [condition(type, OneOf(values), at) for type, values in scalars if values]
        for item in constants:
            if isinstance(item, list):
                inside = [among([element], (*at, index)) for index, element in enumerate(item)]
                found.append(fold_and([condition("array", ArrayLength(len(item)), at), *inside]))
            elif isinstance(item, dict):
                inside = [among([member], (*at, name)) for name, member in item.items()]
                found.append(fold_and([condition("object", OnlyMembers(tuple(item)), at), *inside]))
        return fold_or(found)

    match op:
        case Operator.EQ | Operator.IN:
            return among(constants_of(op, constant), steps)
        case Operator.NE | Operator.NIN:
            return fold_and([condition("any", Present()), fold_not(among(constants_of(op, constant), steps))])
        case Operator.REGEX:
            return condition("string", _pattern(constant))
        case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
            return condition("string" if isinstance(constant, str) else "number", Ordered(op, constant))
        case _:
            assert_never(op)
