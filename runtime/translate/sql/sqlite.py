"""SQLite: any column may hold any type, so each condition asks for the type first; JSON is read by json_each."""

from typing import Any, ClassVar

from ....bundles.conditions.operators import IS_UPWARD
from ..fields import Boolean, Decimal, Integer, Real, Text
from ..numbers import Number
from ..plan import Cell, Holds, JsonCell, JsonType, Keys, Matches, NoneOf, OneOf, Ordered, Present, Size, TypedField
from .dialect import COMPARES, Dialect
from .pieces import Bound, Column, Sql, listed, sql

HELD: dict[type, str] = {
    Text: "typeof({}) = 'text'",
    Integer: "typeof({}) = 'integer'",
    Real: "typeof({}) IN ('integer', 'real') AND abs({}) < 9e999",
    Boolean: "typeof({}) = 'integer' AND {} IN (0, 1)",
}
"""What a column of each type holds; 9e999 is infinity here."""

TYPES: dict[JsonType, str] = {
    "any": "writ.type <> 'null'",
    "string": "writ.type = 'text'",
    "number": "writ.type IN ('integer', 'real')",
    "boolean": "writ.type IN ('true', 'false')",
    "array": "writ.type = 'array'",
    "object": "writ.type = 'object'",
}

NO_NUL = "instr(replace({}, '\\\\', ''), '\\u0000') = 0"
"""That raw JSON text has no escaped U+0000: SQLite before 3.45 reads a string or a name only up to there."""


class Sqlite(Dialect):
    """SQLite 3.38 or newer, a database in UTF-8, JSON as text that repeats no member's name."""

    name = "sqlite"
    most_values = 32_766
    true, false = "1", "0"

    held: ClassVar[dict[type, str]] = HELD
    exact: ClassVar[dict[type, str]] = {Text: "{} COLLATE BINARY"}

    def bound(self, field: TypedField, value: Any, cell: Cell) -> Bound:
        """SQLite keeps decimals as doubles."""
        if isinstance(field, Decimal):
            self.refuse(
                cell, "it keeps no exact decimals", "map the column to Real, or keep integers of a smaller unit"
            )
        return super().bound(field, value, cell)

    def holds(self, cell: Cell, column: Column) -> Sql:
        """instr and blobs look past U+0000, LIKE and the length of text do not."""
        assert isinstance(cell.says, Holds)
        part = Bound(cell.says.text, "text")
        if cell.says.place == "end":
            length = len(cell.says.text.encode())
            return sql(f"substr(CAST({{}} AS BLOB), -{length}) = CAST({{}} AS BLOB)", column, part)
        return sql(f"instr({{}}, {{}}) {'= 1' if cell.says.place == 'start' else '> 0'}", column, part)

    def json(self, cell: JsonCell) -> Sql:
        """That the row of the value (its type, value and raw text) says it; there is no row where it is absent."""
        return sql("EXISTS (SELECT 1 FROM {} WHERE {} AND {})", _value(cell), TYPES[cell.type], self._test(cell))

    def _test(self, cell: JsonCell) -> Sql:
        match cell.says:
            case Present():
                return ("TRUE",)
            case OneOf(values) if cell.type == "boolean":
                return sql("writ.value IN ({})", listed([Bound(int(one), "integer") for one in values]))
            case OneOf(values) if cell.type == "number":
                return sql("writ.value IN ({})", listed([self._number(cell, one) for one in values]))
            case OneOf(values):
                self._check_nul(cell, *values)
                among = listed([Bound(one, "text") for one in values])
                return sql(f"{NO_NUL} AND writ.value IN ({{}})", "writ.raw", among)
            case Ordered(op, value) if cell.type == "number":
                return sql(f"writ.value {COMPARES[op]} {{}}", self._number(cell, value))
            case Ordered(op, value):
                self._check_nul(cell, value)
                bound, cut = Bound(value, "text"), ">=" if IS_UPWARD[op] else "<"
                template = f"CASE WHEN {NO_NUL} THEN writ.value {COMPARES[op]} {{}} ELSE writ.value {cut} {{}} END"
                return sql(template, "writ.raw", bound, bound)
            case Size(length):
                return (f"json_array_length(writ.raw) = {length}",)
            case Keys(names):
                self._check_nul(cell, *names)
                known = sql(f"writ_member.key IN ({{}}) AND {NO_NUL}", listed(_texts(names)), "writ_member.fullkey")
                return sql("NOT EXISTS (SELECT 1 FROM json_each(writ.raw) AS writ_member WHERE NOT ({}))", known)
            case Holds():
                remedy = "compare with eq or in, or index the attribute in a column of its own"
                self.refuse(cell, "its functions see only a part of a JSON string with U+0000 in it", remedy)
            case Matches(pattern):
                self.refuse_pattern(cell, pattern)
            case NoneOf():
                raise AssertionError("of columns only")
        raise AssertionError("one case fits")

    def _number(self, cell: JsonCell, value: Number) -> Bound:
        if abs(value) >= 2**63:
            self.refuse(cell, "numbers in its JSON are exact below 2^63 only", "compare with a smaller number")
        return Bound(value, "integer" if isinstance(value, int) else "real")

    def _check_nul(self, cell: JsonCell, *values: str) -> None:
        if any("\0" in value for value in values):
            self.refuse(cell, "it reads a JSON string only up to U+0000", "take U+0000 out of the policy")


def _value(cell: JsonCell) -> Sql:
    """A table of at most one row, the last of a name as every JSON parser has it: `writ(type, value, raw)`."""
    column = Column(cell.column)
    whole = sql(
        "SELECT CASE WHEN typeof({}) <> 'blob' THEN CASE WHEN json_valid({}) THEN {} END END AS raw", *[column] * 3
    )
    found = sql("(SELECT json_type(raw) AS type, json_extract(raw, '$') AS value, raw FROM ({}))", whole)
    for step in cell.steps:
        found = sql(
            "(SELECT writ_member.type, writ_member.value, writ_in.raw -> writ_member.fullkey AS raw"
            " FROM {} AS writ_in, json_each(writ_in.raw) AS writ_member"
            " WHERE writ_member.key = {} AND writ_in.type = {} AND {} ORDER BY writ_member.id DESC LIMIT 1)",
            found,
            str(step) if isinstance(step, int) else Bound(step, "text"),
            "'array'" if isinstance(step, int) else "'object'",
            sql(NO_NUL, "writ_member.fullkey"),
        )
    return sql("{} AS writ", found)


def _texts(values: tuple[str, ...]) -> list[Bound]:
    return [Bound(value, "text") for value in values]
