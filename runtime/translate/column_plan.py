"""Plans a comparison with a column of one type: as a test of the column's own values, or a constant.

The type decides: `eq "x"` on a column of numbers is false, `ne "x"` on it asks whether there is a value.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final, assert_never

from ...bundles.conditions.comparisons import constants_of, predicate
from ...bundles.conditions.literals import literal_of
from ...bundles.conditions.operators import OF_ELEMENTS, Operator, Ordering
from ...bundles.conditions.trees.instant_comparisons import InstantComparison
from ...bundles.conditions.trees.tree import FALSE, TreeComparison, fold_and
from ...bundles.conditions.values import Json as Constant
from ...bundles.conditions.values import is_number
from . import column_numbers as numbers
from . import column_texts as texts
from .column_conditions import ColumnCondition, Matches, NoneOf, OneOf, Ordered, Plan, Present, Substring, ValueTest
from .errors import Untranslatable
from .fields import (
    Attributes,
    Boolean,
    Date,
    DateTime,
    Decimal,
    Enum,
    Field,
    Integer,
    Json,
    Real,
    Text,
    TypedField,
    Uuid,
)

_EPOCH = datetime(1970, 1, 1)
_BETWEEN: Final[dict[Ordering, Ordering]] = {Operator.GTE: Operator.GT, Operator.LT: Operator.LTE}
"""The operators that say of an instant between two that the column holds what another one says of the earlier one."""


def planned_column(comparison: TreeComparison, path: str, field: TypedField, target: str) -> Plan:
    """Returns a comparison over a column.

    Raises Untranslatable for a pattern that needs a text which it has not, and for a comparison of elements.
    """
    refuse_elements(comparison, path, target)
    match field:
        case Enum(_, values):
            fits = predicate(comparison.op, comparison.value)
            stored = tuple(name for name, attribute in values.items() if fits(attribute))
            return ColumnCondition(field, OneOf(stored), path) if stored else FALSE
        case Uuid() | Date() | DateTime() if comparison.op is Operator.REGEX:
            return _pattern_of_form(comparison.value, path, field, target)
        case _:
            return _typed(comparison, path, field)


def planned_instant(comparison: InstantComparison, path: str, field: Field, target: str) -> Plan:
    """Returns a comparison of instants over a column.

    Raises Untranslatable for a column of texts: one instant has many, whose order is not the order of the instants.
    """
    match field:
        case DateTime():
            return ColumnCondition(field, _ordered_instant(comparison), path)
        case Enum(_, values):
            stored = tuple(name for name, attribute in values.items() if comparison.holds(attribute))
            return ColumnCondition(field, OneOf(stored), path) if stored else FALSE
        case Text() | Json() | Attributes():
            raise Untranslatable(
                path,
                target,
                f"`{comparison.key}` is compared as an instant, and the mapping says that its column holds texts",
                "keep the instants in a column of timestamps, and map it to DateTime",
            )
        case _:
            return FALSE  # no number, boolean, date or UUID is the text of an instant


def _ordered_instant(comparison: InstantComparison) -> Ordered:
    microseconds, rest = divmod(comparison.instant, 1_000)
    op = _BETWEEN.get(comparison.op, comparison.op) if rest else comparison.op
    return Ordered(op, _EPOCH + timedelta(microseconds=microseconds))


def in_milliseconds(test: ValueTest) -> ValueTest | None:
    """Returns a test of instants for a column that holds whole milliseconds, or None if no such instant passes it.

    >>> in_milliseconds(Ordered(Operator.LT, datetime(1970, 1, 1, microsecond=1_500)))
    Ordered(op=<Operator.LTE: 'lte'>, value=datetime.datetime(1970, 1, 1, 0, 0, 0, 1000))
    """
    match test:
        case OneOf(values) | NoneOf(values):
            held = tuple(value for value in values if not value.microsecond % 1_000)
            if held:
                return type(test)(held)
            return None if isinstance(test, OneOf) else Present()
        case Ordered(op, value) if rest := value.microsecond % 1_000:
            return Ordered(_BETWEEN.get(op, op), value - timedelta(microseconds=rest))
        case _:
            return test


def _typed(comparison: TreeComparison, path: str, field: TypedField) -> Plan:
    op, constant = comparison.op, comparison.value
    match op:
        case Operator.EQ | Operator.IN:
            values = equals(field, constants_of(op, constant))
            return ColumnCondition(field, OneOf(values), path) if values else FALSE
        case Operator.NE | Operator.NIN:
            values = equals(field, constants_of(op, constant))
            return ColumnCondition(field, NoneOf(values) if values else Present(), path)
        case Operator.REGEX:
            return ColumnCondition(field, tested_pattern(constant), path) if isinstance(field, Text) else FALSE
        case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
            return _bounded(field, _ordered(field, op, constant), path)
        case Operator.HAS | Operator.HAS_ANY | Operator.HAS_NONE:
            raise AssertionError("refused before")
        case _:
            assert_never(op)


def refuse_elements(comparison: TreeComparison, path: str, target: str) -> None:
    """Refuses a comparison of elements on a column of one type: to say false would hide that the mapping is wrong."""
    if OF_ELEMENTS[comparison.op]:
        reason = f"a column of one type holds no arrays, whose elements `{comparison.op}` compares"
        remedy = "map the key to Array, Json or Attributes if the target takes one, or ask for the results"
        raise Untranslatable(path, target, reason, remedy)


def _bounded(field: TypedField, bound: numbers.Bound, path: str) -> Plan:
    if isinstance(bound, bool):
        return ColumnCondition(field, Present(), path) if bound else FALSE
    return ColumnCondition(field, Ordered(*bound), path)


def equals(field: TypedField, constants: Sequence[Constant]) -> tuple[Any, ...]:
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
