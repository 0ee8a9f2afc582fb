"""Plans a filter over columns: replaces each comparison by conditions on the column that its key is mapped to."""

from collections.abc import Sequence
from typing import Any, assert_never

from ...bundles.conditions.attribute_keys import steps_of
from ...bundles.conditions.comparisons import constants_of
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.trees.direct_grants import DirectGrants, FilterLike
from ...bundles.conditions.trees.instant_comparisons import InstantComparison
from ...bundles.conditions.trees.tree import (
    FALSE,
    And,
    Const,
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
    ELEMENT,
    AnyElement,
    ArrayCondition,
    ArrayLength,
    DirectCondition,
    JsonCondition,
    JsonType,
    OneOf,
    OnlyMembers,
    Ordered,
    Plan,
    Present,
    ValueTest,
)
from .column_plan import equals, planned_column, planned_instant, tested_pattern
from .errors import Untranslatable
from .fields import Array, Attributes, Direct, Field, Fields, Json, direct_condition, field_of
from .read_tree import ROOT, TreeLimits, path_of_child, read_tree


def plan(
    tree: Any, fields: Fields, target: str, limits: TreeLimits | None = None, direct: Direct | None = None
) -> Plan:
    """Returns the filter over the columns of `fields`. Raises BadFilter, and Untranslatable for an unknown field."""
    return _planned(read_tree(tree, limits), ROOT, fields, target, direct)


def _planned(tree: FilterLike, path: str, fields: Fields, target: str, direct: Direct | None) -> Plan:
    match tree:
        case DirectGrants():
            return DirectCondition(direct_condition(direct, tree, path, target), path)
        case InstantComparison(key):
            return planned_instant(tree, path, field_of(fields, key, path, target), target)
        case TreeComparison(key):
            return _condition(tree, path, field_of(fields, key, path, target), target)
        case And(children):
            return fold_and(_children(children, path, fields, target, direct))
        case Or(children):
            return fold_or(_children(children, path, fields, target, direct))
        case Not(child):
            return fold_not(_planned(child, path_of_child(path, 0), fields, target, direct))
        case Const():
            return tree
        case _:
            assert_never(tree)


def _children(
    children: tuple[FilterLike, ...], path: str, fields: Fields, target: str, direct: Direct | None
) -> list[Plan]:
    return [
        _planned(child, path_of_child(path, number), fields, target, direct) for number, child in enumerate(children)
    ]


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
        case Array():
            return _array(comparison, path, field, target)
        case _:
            return planned_column(comparison, path, field, target)


def _has_lone_surrogate(constant: Constant) -> bool:
    if isinstance(constant, list):
        return any(map(_has_lone_surrogate, constant))
    if isinstance(constant, dict):
        return any(map(_has_lone_surrogate, (*constant, *constant.values())))
    return isinstance(constant, str) and not is_text(constant)


def _array(comparison: TreeComparison, path: str, field: Array, target: str) -> Plan:
    """Returns a comparison over a column of arrays (X6). Raises Untranslatable if it compares whole arrays."""
    op, constants = comparison.op, constants_of(comparison.op, comparison.value)
    present = ArrayCondition(field, (), path)

    def has_any() -> Plan:
        values = equals(field.of(ELEMENT), constants)
        return ArrayCondition(field, values, path) if values else FALSE

    match op:
        case Operator.HAS | Operator.HAS_ANY:
            return has_any()
        case Operator.HAS_NONE:
            return fold_and([present, fold_not(has_any())])
        case Operator.EQ | Operator.IN | Operator.NE | Operator.NIN:
            if any(isinstance(constant, list) for constant in constants):
                reason, remedy = "the filter compares a whole array", "let the policy compare elements with `has_any`"
                raise Untranslatable(path, target, reason, remedy)
            return present if op in (Operator.NE, Operator.NIN) else FALSE
        case _:
            return FALSE  # an array has no order, and it is no string (C4, C6)


def _json(comparison: TreeComparison, path: str, column: Any, steps: tuple[str | int, ...]) -> Plan:
    op, constant = comparison.op, comparison.value

    def condition(type: JsonType, test: ValueTest) -> Plan:
        return JsonCondition(column, steps, type, test, path)

    def equals_one(constants: Sequence[Constant]) -> Plan:
        return _among(constants, column, steps, path)

    def has_any(constants: Sequence[Constant]) -> Plan:
        return condition("array", AnyElement(_among(constants, ELEMENT, (), path))) if constants else FALSE

    match op:
        case Operator.EQ | Operator.IN:
            return equals_one(constants_of(op, constant))
        case Operator.NE | Operator.NIN:
            return fold_and([condition("any", Present()), fold_not(equals_one(constants_of(op, constant)))])
        case Operator.REGEX:
            return condition("string", tested_pattern(constant))
        case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
            return condition("string" if isinstance(constant, str) else "number", Ordered(op, constant))
        case Operator.HAS | Operator.HAS_ANY:
            return has_any(constants_of(op, constant))
        case Operator.HAS_NONE:
            return fold_and([condition("array", Present()), fold_not(has_any(constant))])
        case _:
            assert_never(op)


def _among(constants: Sequence[Constant], column: Any, steps: tuple[str | int, ...], path: str) -> Plan:
    """Returns whether the value at `steps` equals one of the constants, deeply: element by element (C3)."""

    def condition(type: JsonType, test: ValueTest, at: tuple[str | int, ...]) -> Plan:
        return JsonCondition(column, at, type, test, path)

    def among(constants: Sequence[Constant], at: tuple[str | int, ...]) -> Plan:
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

    return among(constants, steps)
