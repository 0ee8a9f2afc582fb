"""DuckDB: text under `COLLATE C`, patterns by RE2 itself, plain columns only."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, ClassVar

from ..column_conditions import ArrayCondition, JsonCondition, Substring
from ..column_texts import microseconds
from ..fields import Boolean, Date, DateTime, Enum, Integer, Real, Text, Uuid
from .dialect import ARRAYS, Dialect
from .fragments import Column, Parameter, Sql, sql

LISTS: dict[type, str] = {Text: "VARCHAR[]", Integer: "BIGINT[]", Real: "DOUBLE[]", Boolean: "BOOLEAN[]"}


class DuckDb(Dialect):
    """DuckDB 1.0 or newer, columns of VARCHAR, BIGINT, DOUBLE, DECIMAL, BOOLEAN, UUID, DATE, TIMESTAMP with and without
    a time zone, ENUM, lists of some, also members of a STRUCT."""

    name = "duckdb"
    most_values = 65_535

    # A date may be infinite, BC or beyond the year 9999; the microseconds of an infinite instant are NULL.
    present: ClassVar[dict[type, str]] = {
        Real: "{} IS NOT NULL AND isfinite({})",
        Date: "{} IS NOT NULL AND {} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'",
        DateTime: (
            f"COALESCE(epoch_us({{}}) BETWEEN {microseconds(datetime.min)} AND {microseconds(datetime.max)}, FALSE)"
        ),
    }
    exact: ClassVar[dict[type, str]] = {
        Text: "({} COLLATE C)",
        Enum: "(CAST({} AS VARCHAR) COLLATE C)",
        DateTime: "epoch_us({})",
    }
    value: ClassVar[dict[type, str]] = {Uuid: "CAST({} AS UUID)", Date: "CAST({} AS DATE)"}
    bound: ClassVar[dict[type, Callable[[Any], Parameter]]] = {
        Uuid: lambda value: Parameter(str(value), "text"),
        Date: lambda value: Parameter(value.isoformat(), "text"),
        DateTime: lambda value: Parameter(microseconds(value), "integer"),
    }
    pattern = "regexp_matches({}, {})"

    def substring(self, column: Column, test: Substring) -> Sql:
        """Functions of strings, which heed a collation too."""
        function = {"start": "starts_with", "end": "suffix", "inside": "contains"}[test.position]
        return sql(f"{function}({{}}, {{}})", self.exact_column(Text, column), Parameter(test.text, "text"))

    def array_condition(self, condition: ArrayCondition) -> Sql:
        """Elements compare by value, texts by their bytes: DuckDB 2.0.1 began to heed the collation of a list."""
        column, of = Column(condition.field.column), condition.field.of
        if not condition.values:
            return sql("({} IS NOT NULL)", column)
        values = Parameter(list(condition.values), ARRAYS[of])
        elements = "[encode(x) for x in {}]" if of is Text else "{}"
        having = f"list_has_any({elements}, {elements.format(f'CAST({{}} AS {LISTS[of]})')})"
        return sql(f"COALESCE({having}, FALSE)", column, values)

    def json_condition(self, condition: JsonCondition) -> Sql:
        """Its JSON functions don't tell all numbers apart, so none is trusted."""
        self.refuse(condition, "its JSON values are not covered", "map a column, or a member of a STRUCT, of one type")
