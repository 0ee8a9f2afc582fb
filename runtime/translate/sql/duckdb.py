"""DuckDB: text under `COLLATE C`, patterns by RE2 itself, plain columns only."""

from typing import ClassVar

from ..conditions import JsonCondition, Substring
from ..fields import Real, Text
from .dialect import Dialect
from .fragments import Column, Parameter, Sql, sql


class DuckDb(Dialect):
    """DuckDB 1.0 or newer, columns of VARCHAR, BIGINT, DOUBLE, DECIMAL, BOOLEAN, also members of a STRUCT."""

    name = "duckdb"
    most_values = 65_535

    present: ClassVar[dict[type, str]] = {Real: "{} IS NOT NULL AND isfinite({})"}
    exact: ClassVar[dict[type, str]] = {Text: "({} COLLATE C)"}
    pattern = "regexp_matches({}, {})"

    def substring(self, column: Column, test: Substring) -> Sql:
        """Functions of strings, which heed a collation too."""
        function = {"start": "starts_with", "end": "suffix", "inside": "contains"}[test.position]
        return sql(f"{function}({{}}, {{}})", self.exact_column(Text, column), Parameter(test.text, "text"))

    def json_condition(self, condition: JsonCondition) -> Sql:
        """Its JSON functions don't tell all numbers apart, so none is trusted."""
        self.refuse(condition, "its JSON values are not covered", "map a column, or a member of a STRUCT, of one type")
