"""SQLite: any column may hold any type, so each condition asks for the type first; JSON is read by json_each."""

from collections.abc import Callable
from typing import Any, ClassVar

from ..column_conditions import (
    ELEMENT,
    AnyElement,
    ArrayLength,
    ColumnCondition,
    JsonCondition,
    JsonType,
    Matches,
    NoneOf,
    OneOf,
    OnlyMembers,
    Ordered,
    Present,
    Substring,
)
from ..column_numbers import Number
from ..fields import Boolean, Date, DateTime, Decimal, Enum, Integer, Real, Text, TypedField, Uuid
from .dialect import COMPARES, Dialect, among
from .fragments import Column, Parameter, Sql, listed, sql

PRESENT: dict[type, str] = {
    Text: "typeof({}) = 'text'",
    Enum: "typeof({}) = 'text'",
    Integer: "typeof({}) = 'integer'",
    Real: "typeof({}) IN ('integer', 'real') AND CAST({} AS REAL) = {} AND abs({}) < 9e999",
    Boolean: "typeof({}) = 'integer' AND {} IN (0, 1)",
    Uuid: "typeof({}) = 'text' AND length(CAST({} AS BLOB)) = 32 AND {} NOT GLOB '*[^0-9a-f]*'",
    Date: "typeof({}) = 'text' AND {} || '' IS date({}, '+0 days') AND {} > '0001-'",
    DateTime: (
        "typeof({}) = 'text' AND substr({}, 1, 19) IS datetime(substr({}, 1, 19), '+0 days')"
        " AND {} > '0001-' AND (length(CAST({} AS BLOB)) = 19 OR length(CAST({} AS BLOB)) = 26"
        " AND substr({}, 20) GLOB '.[0-9][0-9][0-9][0-9][0-9][0-9]')"
    ),
}
"""The values that a column of each type holds; 9e999 is infinity here. An integer that is no double is no real.

A date is one that SQLite writes in the same way: adding no days makes a March day of `2024-02-30`.
"""

NO_TEXT = "{} IS NULL OR ({} < '' AND typeof({}) <> 'text') OR {} >= x''"
"""The condition that a column holds no text, in the order of an index: NULL, numbers, texts, blobs.

A collation of the application may put a text before the empty one.
"""

BINARY = "({} || '')"
"""A text that is compared by its bytes, as each expression that is no column. SQLite 3.53 and newer use no index for an
OR in which the word COLLATE is.
"""
COLLATED = "{} COLLATE BINARY"
"""The same for an index of the column, outside of such an OR."""
INSTANT = "(CASE length({}) WHEN 19 THEN {} || '.000000' ELSE {} || '' END)"
"""An instant with its six decimals, which Django leaves out if they are zero."""

MOST_SOUGHT = 1_000
"""The most values that are bound a second time, for an index to find."""

TYPES: dict[JsonType, str] = {
    "any": "writ.type <> 'null'",
    "string": "writ.type = 'text'",
    "number": "writ.type IN ('integer', 'real')",
    "boolean": "writ.type IN ('true', 'false')",
    "array": "writ.type = 'array'",
    "object": "writ.type = 'object'",
}

ESCAPES = (("\\\\", "\\u005c"), ("\\u0001", "\\u0001\\u0002"), ("\\u0000", "\\u0001\\u0001"))
"""The replacements in JSON text, in this order, so that no string or name in it holds U+0000.

Versions of SQLite read such strings in several ways. U+0001 takes its place, and U+0001 itself becomes two characters,
so that different texts stay different and keep their order. An escaped backslash is written in another way first:
what is left of `\\u0000` is an escape then.
"""

NESTED = "CASE WHEN {0}.type IN ('array', 'object') THEN {0}.value END AS raw"
"""The JSON text of an array or object in `json_each`. A path to it would find the first member of a repeated name."""

ELEMENTS = sql(
    "(SELECT writ_each.type, writ_each.value, {} FROM json_each(writ.raw) AS writ_each) AS writ_element",
    NESTED.format("writ_each"),
)
"""The elements of an array in `writ`, as a table like it."""


class Sqlite(Dialect):
    """SQLite 3.38 or newer, a database in UTF-8, JSON as text.

    Dates, instants in UTC and UUIDs are text as SQLAlchemy and Django store them: `2024-02-29`,
    `2024-02-29 12:00:00.000000`, 32 hexadecimal digits in lower case.
    """

    name = "sqlite"
    most_values = 32_766
    true, false = "1", "0"

    present: ClassVar[dict[type, str]] = PRESENT
    absent: ClassVar[dict[type, str]] = {Text: NO_TEXT, Enum: NO_TEXT}
    exact: ClassVar[dict[type, str]] = {Text: BINARY, Enum: BINARY, Uuid: BINARY, Date: BINARY, DateTime: INSTANT}
    bound: ClassVar[dict[type, Callable[[Any], Parameter]]] = {
        Uuid: lambda value: Parameter(value.hex, "text"),
        Date: lambda value: Parameter(value.isoformat(), "text"),
        DateTime: lambda value: Parameter(value.isoformat(" ", "microseconds"), "text"),
    }

    def column_condition(self, condition: ColumnCondition) -> Sql:
        """SQLite keeps decimals as doubles."""
        if isinstance(condition.field, Decimal):
            self.refuse(
                condition, "it keeps no exact decimals", "map the column to Real, or keep integers of a smaller unit"
            )
        return super().column_condition(condition)

    def one_of(self, field: TypedField, column: Column, values: list[Parameter]) -> Sql:
        """An index finds what the column's own collation holds for equal, which is all that has the same bytes."""
        exact = super().one_of(field, column, values)
        if self.exact.get(type(field)) != BINARY:
            return exact
        given: list[Sql] = [(value,) for value in values]
        if len(values) > MOST_SOUGHT:
            return among(sql(COLLATED, column), "=", "IN", given)
        return sql("{} AND {}", among((column,), "=", "IN", given), exact)

    def ordered_column(self, type: type[TypedField], column: Column) -> Sql:
        """A text has no index, so that a constant such as `5` stays text: a column declared STRING would make a number
        of it.
        """
        return sql(COLLATED, column) if type in (Enum, Uuid, Date) else super().ordered_column(type, column)

    def substring(self, column: Column, test: Substring) -> Sql:
        """instr and blobs look past U+0000, LIKE and the length of text do not."""
        part = Parameter(test.text, "text")
        if test.position == "end":
            length = len(test.text.encode())
            # The end of an empty blob is NULL for older versions, and NOT of it would be too.
            return sql(f"coalesce(substr(CAST({{}} AS BLOB), -{length}), x'') = CAST({{}} AS BLOB)", column, part)
        return sql(f"instr({{}}, {{}}) {'= 1' if test.position == 'start' else '> 0'}", column, part)

    def json_condition(self, condition: JsonCondition) -> Sql:
        """The row of the value (its type, value and raw text) passes the test. An absent value has no row."""
        template = "EXISTS (SELECT 1 FROM {} WHERE {} AND {})"
        return sql(template, _value(condition), TYPES[condition.type], self._test(condition))

    def _test(self, condition: JsonCondition) -> Sql:
        match condition.test:
            case Present():
                return ("TRUE",)
            case OneOf(values) if condition.type == "boolean":
                return sql("writ.value IN ({})", listed([Parameter(int(one), "integer") for one in values]))
            case OneOf(values) if condition.type == "number":
                return sql("writ.value IN ({})", listed([self._number(condition, one) for one in values]))
            case OneOf(values):
                self._check_nul(condition, *values)
                return sql("writ.value IN ({})", listed(_texts(values)))
            case Ordered(op, value) if condition.type == "number":
                return sql(f"writ.value {COMPARES[op]} {{}}", self._number(condition, value))
            case Ordered(op, value):
                self._check_nul(condition, value)
                return sql(f"writ.value {COMPARES[op]} {{}}", _text(value))
            case ArrayLength(length):
                return (f"json_array_length(writ.raw) = {length}",)
            case OnlyMembers(names):
                self._check_nul(condition, *names)
                other = sql("writ_member.key NOT IN ({})", listed(_texts(names)))
                return sql("NOT EXISTS (SELECT 1 FROM json_each(writ.raw) AS writ_member WHERE {})", other)
            case AnyElement(plan):
                return sql("EXISTS (SELECT 1 FROM {} WHERE {})", ELEMENTS, self.condition(plan))
            case Substring():
                remedy = "compare with eq or in, or index the attribute in a separate column"
                self.refuse(condition, "its functions see only a part of a JSON string with U+0000 in it", remedy)
            case Matches(pattern):
                self.refuse_pattern(condition, pattern)
            case NoneOf():
                raise AssertionError("of columns only")
        raise AssertionError("one case fits")

    def _number(self, condition: JsonCondition, value: Number) -> Parameter:
        if abs(value) >= 2**63:
            self.refuse(condition, "numbers in its JSON are exact below 2^63 only", "compare with a smaller number")
        return Parameter(value, "integer" if isinstance(value, int) else "real")

    def _check_nul(self, condition: JsonCondition, *values: str) -> None:
        if any("\0" in value for value in values):
            self.refuse(condition, "it reads a JSON string only up to U+0000", "take U+0000 out of the policy")


def _value(condition: JsonCondition) -> Sql:
    """A table of at most one row, the last of a name as every JSON parser has it: `writ(type, value, raw)`.

    A key of an object is text and that of an array an integer, which are never equal; a member that is neither an
    object nor an array has no raw text and so no keys.
    """
    if not condition.steps:
        return sql("{} AS writ", _whole(condition.column))
    found = _raw(condition.column)
    for step in condition.steps:
        found = sql(
            "(SELECT writ_member.type, writ_member.value, {} FROM {} AS writ_in, json_each(writ_in.raw) AS writ_member"
            " WHERE writ_member.key = {} ORDER BY writ_member.id DESC LIMIT 1)",
            NESTED.format("writ_member"),
            found,
            str(step) if isinstance(step, int) else _text(step),
        )
    return sql("{} AS writ", found)


def _whole(column: Any) -> Sql:
    """The row of a whole column, or of an element."""
    if column is ELEMENT:
        return ("(SELECT writ_element.type AS type, writ_element.value AS value, writ_element.raw AS raw)",)
    return sql("(SELECT json_type(raw) AS type, json_extract(raw, '$') AS value, raw FROM {})", _raw(column))


def _raw(column: Any) -> Sql:
    """The row of a column's escaped JSON text, which is NULL if it is none."""
    if column is ELEMENT:
        return ("(SELECT writ_element.raw AS raw)",)
    held = Column(column)
    escaped: Sql = (held,)
    for old, new in ESCAPES:
        escaped = sql(f"replace({{}}, '{old}', '{new}')", escaped)
    template = "(SELECT CASE WHEN typeof({}) = 'blob' THEN NULL WHEN json_valid({}) THEN {} END AS raw)"
    return sql(template, held, held, escaped)


def _text(value: str) -> Parameter:
    """A string as the escaped JSON text has it."""
    return Parameter(value.replace("\1", "\1\2").replace("\0", "\1\1"), "text")


def _texts(values: tuple[str, ...]) -> list[Parameter]:
    return [_text(value) for value in values]
