"""PostgreSQL's arrays: a part that a GIN index serves, and a part that decides."""

from ..column_conditions import ArrayCondition
from ..fields import Boolean, Integer, Real, Text
from .dialect import ARRAYS
from .fragments import Column, Parameter, Sql, repeated, sql

PRESENT = "{} IS NOT NULL AND COALESCE(array_ndims({}), 1) = 1"
"""An empty array has no number of dimensions. One of several dimensions is an array of arrays."""

TYPES: dict[type, str] = {Text: "text[]", Integer: "bigint[]", Real: "double precision[]", Boolean: "boolean[]"}

# The decisive part is an error for a column whose elements are of another type.
# Texts: "C" compares by code point, and is no collation of numbers. The cast takes varchar and citext back to text.
# Integers: a cast of decimals rounds them, so the elements themselves decide.
OVERLAPS: dict[type, str] = {
    Text: 'CAST({} AS text[]) && {} AND CAST({} COLLATE "C" AS text[]) COLLATE "C" && {}',
    Integer: (
        "CAST({} AS bigint[]) && {}"
        " AND EXISTS (SELECT 1 FROM unnest({}) AS writ_element (value) WHERE writ_element.value = ANY({}))"
    ),
    Real: "{} && {}",
    Boolean: "{} && {}",
}
"""The condition that an array has an element among others. Each `{}` is the array and the others, in turn."""


def array_condition(condition: ArrayCondition) -> Sql:
    """Returns the condition on a column of arrays, which is never NULL."""
    column, of = Column(condition.field.column), condition.field.of
    present = repeated(PRESENT, column)
    if not condition.values:
        return sql("({})", present)
    values = sql(f"CAST({{}} AS {TYPES[of]})", Parameter(list(condition.values), ARRAYS[of]))
    template = OVERLAPS[of]
    return sql("({} AND {})", present, sql(template, *(column, values) * (template.count("{}") // 2)))
