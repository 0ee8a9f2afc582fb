"""Plans a filter over columns: replaces each comparison by conditions on the column that its key is mapped to."""

from collections.abc import Sequence
from typing import Any, assert_never

from ...bundles.conditions.attribute_keys import steps_of
from ...bundles.conditions.comparisons import constants_of
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.trees.tree import (
    And,
    Const,
    FilterTree,
    Not,
    Or,
    TreeComparison,
    fold_and,
    fold_not,
    fold_or,
)
from ...bundles.conditions.values import Json as Constant
from ...bundles.conditions.values import is_number, is_text
from .column_conditions import (
    ArrayLength,
    JsonCondition,
    JsonType,
    OneOf,
    OnlyMembers,
    Ordered,
    Plan,
    Present,
    ValueTest,
)
from .column_plan import planned_column, tested_pattern
from .errors import Untranslatable
from .fields import Attributes, Field, Fields, Json, field_of
from .read_tree import ROOT, TreeLimits, path_of_child, read_tree


def plan(tree: Any, fields: Fields, target: str, limits: TreeLimits | None = None) -> Plan:
    """Returns the filter over the columns of `fields`. Raises BadFilter, and Untranslatable for an unknown field."""
    return _planned(read_tree(tree, limits), ROOT, fields, target)


def _planned(tree: FilterTree, path: str, fields: Fields, target: str) -> Plan:
    match tree:
        case TreeComparison(key):
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


def _condition(comparison: TreeComparison, path: str, field: Field, target: str) -> Plan:
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
            return planned_column(comparison, path, field, target)


def _has_lone_surrogate(constant: Constant) -> bool:
    if isinstance(constant, list):
        return any(map(_has_lone_surrogate, constant))
    if isinstance(constant, dict):
        return any(map(_has_lone_surrogate, (*constant, *constant.values())))
    return isinstance(constant, str) and not is_text(constant)


def _json(comparison: TreeComparison, path: str, column: Any, steps: tuple[str | int, ...]) -> Plan:
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
            return condition("string", tested_pattern(constant))
        case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
            return condition("string" if isinstance(constant, str) else "number", Ordered(op, constant))
        case _:
            assert_never(op)
