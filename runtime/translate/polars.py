"""A filter as a Polars expression over columns of one type each."""

from collections.abc import Callable
from datetime import date, datetime
from functools import reduce
from operator import and_, ge, gt, le, lt, or_
from typing import Any, assert_never

import polars as pl

from ...bundles.conditions.operators import Operator, Ordering
from ...bundles.conditions.trees.tree import And, Const, Not, Or
from .column_conditions import (
    AnyElement,
    ArrayCondition,
    ArrayLength,
    ColumnCondition,
    DirectCondition,
    JsonCondition,
    Matches,
    NoneOf,
    OneOf,
    OnlyMembers,
    Ordered,
    Plan,
    Present,
    Substring,
)
from .column_texts import microseconds
from .errors import Untranslatable
from .fields import Boolean, Date, DateTime, Decimal, Direct, Enum, Fields, Integer, Real, Text, TypedField, Uuid
from .read_tree import TreeLimits
from .translation_plan import plan

_COMPARES: dict[Ordering, Callable[[Any, Any], Any]] = {
    Operator.GT: gt,
    Operator.GTE: ge,
    Operator.LT: lt,
    Operator.LTE: le,
}
_TYPES: dict[type, pl.DataType | type[pl.DataType]] = {
    Text: pl.String,
    Integer: pl.Int64,
    Real: pl.Float64,
    Boolean: pl.Boolean,
    Decimal: pl.Decimal(38, 15),
    Enum: pl.String,
    Date: pl.Date,
    DateTime: pl.Int64,
}


def expression(tree: Any, fields: Fields, limits: TreeLimits | None = None, *, direct: Direct | None = None) -> pl.Expr:
    """Returns the filter as an expression for `filter`, on eager and lazy frames, never null.

    A column is its name or an expression, such as a member of a struct. `direct` returns the expression for a node of
    direct grants, which is never null (F8). Raises BadFilter and Untranslatable.

    >>> frame = pl.DataFrame({"size": [5, None, 2]})
    >>> tree = {"type": "field", "field": "size", "operator": "gt", "value": 2.5}
    >>> frame.filter(expression(tree, {"size": Integer("size")}))["size"].to_list()
    [5]
    """
    return _expression(plan(tree, fields, "polars", limits, direct))


def _expression(plan: Plan) -> pl.Expr:
    match plan:
        case Const(value):
            return pl.lit(value)
        case And(children):
            return reduce(and_, map(_expression, children))
        case Or(children):
            return reduce(or_, map(_expression, children))
        case Not(child):
            return ~_expression(child)
        case DirectCondition(given):
            found: pl.Expr = given
            return found
        case ColumnCondition():
            return _column_condition(plan)
        case ArrayCondition():
            return _array_condition(plan)
        case JsonCondition():
            raise Untranslatable(
                plan.path,
                "polars",
                "its values are of one type a column",
                "map a column, or a member of a struct, of one type, or filter with writ.runtime.translate.python",
            )
        case _:
            assert_never(plan)


def _column(named: Any) -> pl.Expr:
    return named if isinstance(named, pl.Expr) else pl.col(named)


def _array_condition(condition: ArrayCondition) -> pl.Expr:
    """Returns a condition on a column of lists. An element is tested as a column of its type is."""
    column, of = _column(condition.field.column), condition.field.of
    test = OneOf(condition.values) if condition.values else Present()
    tested = column.list.eval(_column_condition(ColumnCondition(of(pl.element()), test, condition.path)))
    return tested.list.any().fill_null(False) if condition.values else tested.is_not_null()


def _value(field: TypedField) -> pl.Expr:
    """Returns the column as it is compared. Polars raises for a column of another type, rather than convert it."""
    column = _column(field.column)
    match field:
        case Integer():
            return (column ^ 0).cast(pl.Int64)
        case DateTime():
            return column.dt.convert_time_zone("UTC").dt.epoch("us")
        case _:
            nothing = pl.Series([], dtype=_TYPES[type(field)]).implode()
            typed = pl.when(~column.is_in(nothing)).then(column)
            return typed.cast(pl.String) if isinstance(field, Text | Enum) else typed


def _present(field: TypedField, value: pl.Expr) -> pl.Expr:
    match field:
        case Real():
            return value.is_not_null() & value.is_finite()
        case Date():
            return value.is_between(date.min, date.max).fill_null(False)
        case DateTime():
            return value.is_between(microseconds(datetime.min), microseconds(datetime.max)).fill_null(False)
        case _:
            return value.is_not_null()


def _column_condition(condition: ColumnCondition) -> pl.Expr:
    if isinstance(condition.field, Uuid):
        raise Untranslatable(
            condition.path, "polars", "it has no columns of UUIDs", "map a column of their text to Text"
        )
    value, dtype = _value(condition.field), _TYPES[type(condition.field)]
    present = _present(condition.field, value)
    held: Callable[[Any], Any] = microseconds if isinstance(condition.field, DateTime) else lambda found: found
    match condition.test:
        case Present():
            return present
        case OneOf(values):
            return present & value.is_in(pl.Series(map(held, values), dtype=dtype).implode())
        case NoneOf(values):
            return present & ~value.is_in(pl.Series(map(held, values), dtype=dtype).implode())
        case Ordered(op, bound):
            compared: pl.Expr = _COMPARES[op](value, pl.lit(held(bound), dtype=dtype))
            return present & compared
        case Substring(text, position):
            literal = pl.lit(text, dtype=pl.String)
            if position == "inside":
                return present & value.str.contains(literal, literal=True)
            return present & (value.str.starts_with(literal) if position == "start" else value.str.ends_with(literal))
        case Matches(pattern):
            raise Untranslatable(
                condition.path,
                "polars",
                f"its regular expressions are not RE2, and `{pattern}` is more than plain text",
                "let the policy compare with eq, in, or a pattern of plain text between ^ and $",
            )
        case ArrayLength() | OnlyMembers() | AnyElement():
            raise AssertionError("of JSON only")
        case _:
            assert_never(condition.test)
