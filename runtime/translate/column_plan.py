"""Plans a comparison with a column of one type: as a test of the column's own values, or a constant.

The type decides: `eq "x"` on a column of numbers is false, `ne "x"` on it asks whether there is a value.
"""

from collections.abc import Sequence
from typing import Any, assert_never

from ...bundles.conditions.comparisons import constants_of, predicate
from ...bundles.conditions.literals import literal_of
from ...bundles.conditions.operators import Operator, Ordering
from ...bundles.conditions.trees.tree import FALSE, TreeComparison, fold_and
from ...bundles.conditions.values import Json as Constant
from ...bundles.conditions.values import is_number
from . import column_numbers as numbers
from . import column_texts as texts
from .column_conditions import ColumnCondition, Matches, NoneOf, OneOf, Ordered, Plan, Present, Substring, ValueTest
from .errors import Untranslatable
from .fields import Boolean, Date, DateTime, Decimal, Enum, Integer, Real, Text, TypedField, Uuid


def planned_column(comparison: TreeComparison, path: str, field: TypedField, target: str) -> Plan:
    """Returns a comparison over a column. Raises Untranslatable for a pattern that needs a text which it has not."""
    match field:
        case Enum(_, values):
            fits = predicate(comparison.op, comparison.value)
            stored = tuple(name for name, attribute in values.items() if fits(attribute))
            return ColumnCondition(field, OneOf(stored), path) if stored else FALSE
        case Uuid() | Date() | DateTime() if comparison.op is Operator.REGEX:
            return _pattern_of_form(comparison.value, path, field, target)
        case _:
            return _typed(comparison, path, field)


def _typed(comparison: TreeComparison, path: str, field: TypedField) -> Plan:
    op, constant = comparison.op, comparison.value
    match op:
        case Operator.EQ | Operator.IN:
            values = _equals(field, constants_of(op, constant))
            return ColumnCondition(field, OneOf(values), path) if values else FALSE
        case Operator.NE | Operator.NIN:
            values = _equals(field, constants_of(op, constant))
            return ColumnCondition(field, NoneOf(values) if values else Present(), path)
        case Operator.REGEX:
            return ColumnCondition(field, tested_pattern(constant), path) if isinstance(field, Text) else FALSE
        case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
            return _bounded(field, _ordered(field, op, constant), path)
        case _:
            assert_never(op)


def _bounded(field: TypedField, bound: numbers.Bound, path: str) -> Plan:
    if isinstance(bound, bool):
        return ColumnCondition(field, Present(), path) if bound else FALSE
    return ColumnCondition(field, Ordered(*bound), path)


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
        case Uuid() | Date() | DateTime():
            return texts.equal(texts.FORMS[type(field)], constant) if isinstance(constant, str) else None
        case Integer() | Real() | Decimal() if not is_number(constant):
            return None
        case Decimal(digits=digits):
            return numbers.decimal(constant, digits)
        case Integer():
            return numbers.integer(constant)
        case Real():
            return numbers.real(constant)
        case Enum():
            raise AssertionError("planned by its names")
        case _:
            assert_never(field)


def _ordered(field: TypedField, op: Ordering, constant: Constant) -> numbers.Bound:
    """Returns the column's own bound that means the same, or a boolean that is right for all its values (C4)."""
    match field:
        case Text():
            return (op, constant) if isinstance(constant, str) else False
        case Boolean():
            return False
        case Uuid() | Date() | DateTime():
            return texts.bound(texts.FORMS[type(field)], op, constant) if isinstance(constant, str) else False
        case Integer() | Real() | Decimal() if not is_number(constant):
            return False
        case Decimal(digits=digits):
            return numbers.decimal_bound(op, constant, digits)
        case Integer():
            return numbers.integer_bound(op, constant)
        case Real():
            return numbers.real_bound(op, constant)
        case Enum():
            raise AssertionError("planned by its names")
        case _:
            assert_never(field)


def tested_pattern(pattern: str) -> ValueTest:
    """Returns the test of a string that a pattern is, simpler than a pattern if it is plain text."""
    found = literal_of(pattern)
    if found is None:
        return Matches(pattern)
    text, position = found
    if position == "whole":
        return OneOf((text,))
    return Substring(text, position) if text else Present()


def _pattern_of_form(pattern: str, path: str, field: TypedField, target: str) -> Plan:
    """Returns a pattern on values with one text each, if it is plain text at the start or the whole text."""
    form, found = texts.FORMS[type(field)], literal_of(pattern)
    match found:
        case ("", "start" | "end" | "inside"):
            return ColumnCondition(field, Present(), path)
        case (text, "whole"):
            value = texts.equal(form, text)
            return FALSE if value is None else ColumnCondition(field, OneOf((value,)), path)
        case (text, "start"):
            return fold_and([_bounded(field, bound, path) for bound in texts.start_bounds(form, text)])
        case _:
            raise Untranslatable(
                path,
                target,
                f"the column holds a value, not the text in which `{pattern}` is searched",
                "let the policy compare with eq, in, gt, or a pattern of plain text after ^",
            )
