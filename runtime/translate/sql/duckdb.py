"""DuckDB: text under `COLLATE C`, patterns by RE2 itself, plain columns only."""

from typing import ClassVar

from ..fields import Real, Text
from ..plan import Cell, Holds, JsonCell
from .dialect import Dialect
from .pieces import Bound, Column, Sql, sql


class DuckDb(Dialect):
    """DuckDB 1.0 or newer, columns of VARCHAR, BIGINT, DOUBLE, DECIMAL, BOOLEAN, also members of a STRUCT."""

    name = "duckdb"
    most_values = 65_535

    held: ClassVar[dict[type, str]] = {Real: "{} IS NOT NULL AND isfinite({})"}
    exact: ClassVar[dict[type, str]] = {Text: "({} COLLATE C)"}
    pattern = "regexp_matches({}, {})"

    def holds(self, cell: Cell, column: Column) -> Sql:
        """Functions of strings, which heed a collation too."""
        assert isinstance(cell.says, Holds)
        function = {"start": "starts_with", "end": "suffix", "inside": "contains"}[cell.says.place]
        return sql(f"{function}({{}}, {{}})", self.compared(cell.field, column), Bound(cell.says.text, "text"))

    def json(self, cell: JsonCell) -> Sql:
        """Its JSON functions don't tell all numbers apart, so none is trusted."""
        self.refuse(cell, "its JSON values are not covered", "map a column, or a member of a STRUCT, of one type")
