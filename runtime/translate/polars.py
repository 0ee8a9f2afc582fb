"""A filter as a Polars expression over columns of one type each."""

from collections.abc import Callable
from functools import reduce
from operator import and_, ge, gt, le, lt, or_
from typing import Any, assert_never

import polars as pl

from ...bundles.conditions.operators import Operator, Ordering
from ...bundles.conditions.trees.tree import And, Const, Not, Or
from .conditions import (
    ArrayLength,
    ColumnCondition,
    JsonCondition,
    Matches,
    NoneOf,
    OneOf,
    OnlyMembers,
    Ordered,
    Present,
    Substring,
)
from .errors import Untranslatable
from .fields import Boolean, Decimal, Fields, Integer, Real, Text
from .plan import Plan, plan
from .read_tree import TreeLimits

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
}


def expression(tree: Any, fields: Fields, limits: TreeLimits | None = None) -> pl.Expr:
    """Returns the filter as an expression for `filter`, on eager and lazy frames, never null.

    A column is its name or an expression, such as a member of a struct. Raises BadFilter and Untranslatable.

    >>> frame = pl.DataFrame({"size": [5, None, 2]})
    >>> tree = {"type": "field", "field": "size", "operator": "gt", "value": 2.5}
    >>> frame.filter(expression(tree, {"size": Integer("size")}))["size"].to_list()
    [5]
    """
    return _expression(plan(tree, fields, "polars", limits))


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
        case ColumnCondition():
            return _column_condition(plan)
        case JsonCondition():
            raise Untranslatable(
                plan.path,
                "polars",
                "its values are of one type a column",
                "map a column, or a member of a struct, of one type, or filter with writ.runtime.translate.python",
            )
        case _:
            assert_never(plan)


def _column_condition(condition: ColumnCondition) -> pl.Expr:
    column = condition.field.column
    value = column if isinstance(column, pl.Expr) else pl.col(column)
    present = value.is_not_null()
    if isinstance(condition.field, Real):
        present &= value.is_finite()
    dtype = _TYPES[type(condition.field)]
    match condition.test:
        case Present():
            return present
        case OneOf(values):
            return present & value.is_in(pl.Series(values, dtype=dtype).implode())
        case NoneOf(values):
            return present & ~value.is_in(pl.Series(values, dtype=dtype).implode())
        case Ordered(op, bound):
            compared: pl.Expr = _COMPARES[op](value, pl.lit(bound, dtype=dtype))
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
        case ArrayLength() | OnlyMembers():
            raise AssertionError("of JSON only")
        case _:
            assert_never(condition.test)
