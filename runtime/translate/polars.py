"""A filter as a Polars expression over columns of one type each."""

from collections.abc import Callable
from functools import reduce
from operator import and_, ge, gt, le, lt, or_
from typing import Any, assert_never

import polars as pl

from ...bundles.conditions.operators import Operator, Ordering
from .errors import Untranslatable
from .fields import Boolean, Decimal, Fields, Integer, Real, Text
from .plan import (
    Cell,
    Either,
    Every,
    Holds,
    JsonCell,
    Keys,
    Matches,
    NoneOf,
    OneOf,
    Ordered,
    Plan,
    Present,
    Size,
    Without,
    plan,
)
from .tree import TreeLimits

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
    """The filter as an expression for `filter`, on eager and lazy frames, never null.

    A column is its name or an expression, such as a member of a struct. Raises BadFilter and Untranslatable.

    >>> frame = pl.DataFrame({"size": [5, None, 2]})
    >>> tree = {"type": "field", "field": "size", "operator": "gt", "value": 2.5}
    >>> frame.filter(expression(tree, {"size": Integer("size")}))["size"].to_list()
    [5]
    """
    return _expression(plan(tree, fields, "polars", limits))


def _expression(plan: Plan) -> pl.Expr:
    match plan:
        case bool():
            return pl.lit(plan)
        case Every(parts):
            return reduce(and_, map(_expression, parts))
        case Either(parts):
            return reduce(or_, map(_expression, parts))
        case Without(part):
            return ~_expression(part)
        case Cell():
            return _cell(plan)
        case JsonCell():
            raise Untranslatable(
                plan.path,
                "polars",
                "its values are of one type a column",
                "map a column, or a member of a struct, of one type, or filter with writ.runtime.translate.python",
            )
        case _:
            assert_never(plan)


def _cell(cell: Cell) -> pl.Expr:
    column = cell.field.column
    value = column if isinstance(column, pl.Expr) else pl.col(column)
    present = value.is_not_null()
    if isinstance(cell.field, Real):
        present &= value.is_finite()
    dtype = _TYPES[type(cell.field)]
    match cell.says:
        case Present():
            return present
        case OneOf(values):
            return present & value.is_in(pl.Series(values, dtype=dtype).implode())
        case NoneOf(values):
            return present & ~value.is_in(pl.Series(values, dtype=dtype).implode())
        case Ordered(op, bound):
            compared: pl.Expr = _COMPARES[op](value, pl.lit(bound, dtype=dtype))
            return present & compared
        case Holds(text, place):
            literal = pl.lit(text, dtype=pl.String)
            if place == "inside":
                return present & value.str.contains(literal, literal=True)
            return present & (value.str.starts_with(literal) if place == "start" else value.str.ends_with(literal))
        case Matches(pattern):
            raise Untranslatable(
                cell.path,
                "polars",
                f"its regular expressions are not RE2, and `{pattern}` is more than plain text",
                "let the policy compare with eq, in, or a pattern of plain text between ^ and $",
            )
        case Size() | Keys():
            raise AssertionError("of JSON only")
        case _:
            assert_never(cell.says)
