"""MySQL: text compared by its UTF-8 bytes, which no collation, padding or folding touches; JSON by its types."""

from collections.abc import Callable
from json import dumps
from typing import Any, ClassVar

from ....bundles.conditions.operators import Ordering
from .. import column_numbers as numbers
from ..column_conditions import (
    ELEMENT,
    AnyElement,
    ArrayLength,
    JsonCondition,
    Matches,
    NoneOf,
    OneOf,
    OnlyMembers,
    Ordered,
    Present,
    Substring,
)
from ..fields import Boolean, Date, DateTime, Enum, Text, TypedField, Uuid
from .dialect import COMPARES, Dialect
from .fragments import Column, Parameter, Sql, ValueType, joined, listed, sql

BYTES = "CAST(CONVERT({} USING utf8mb4) AS BINARY)"
"""Text by its UTF-8 bytes, which are in the order of code points."""

HEX = "CAST(LOWER(HEX(UNHEX({}))) AS BINARY)"
"""Hexadecimal digits written again, in lower case; NULL for any other text."""

DATED = "{} IS NOT NULL AND MONTH({}) > 0 AND DAYOFMONTH({}) > 0 AND YEAR({}) > 0"
"""The condition that a date is one: MySQL can store `0000-00-00` and `2024-02-00`."""

WIDEST = 10**64
"""Integers in JSON are compared as DECIMAL(65)."""


class MySql(Dialect):
    """MySQL 8.0.17 or newer, columns of any character set, BIGINT, DOUBLE, BOOLEAN (0 and 1), DATE, DATETIME, JSON.

    A UUID is 32 hexadecimal digits in lower case, as SQLAlchemy and Django store it.
    """

    name = "mysql"
    most_values = 65_535

    present: ClassVar[dict[type, str]] = {
        Boolean: "{} IS NOT NULL AND {} IN (0, 1)",
        Date: DATED,
        DateTime: DATED,
        Uuid: f"{{}} IS NOT NULL AND COALESCE({HEX} = {BYTES}, FALSE) AND LENGTH({BYTES}) = 32",
    }
    exact: ClassVar[dict[type, str]] = {Text: BYTES, Enum: BYTES, Uuid: BYTES}
    value: ClassVar[dict[type, str]] = {
        Text: BYTES,
        Enum: BYTES,
        Uuid: BYTES,
        Date: "CAST({} AS DATE)",
        DateTime: "CAST({} AS DATETIME(6))",
    }
    bound: ClassVar[dict[type, Callable[[Any], Parameter]]] = {
        Uuid: lambda value: Parameter(value.hex, "text"),
        Date: lambda value: Parameter(value.isoformat(), "text"),
        DateTime: lambda value: Parameter(value.isoformat(" ", "microseconds"), "text"),
    }

    def one_of(self, field: TypedField, column: Column, values: list[Parameter]) -> Sql:
        """Equality under the column's own collation lets its index serve, the bytes decide."""
        bytewise = super().one_of(field, column, values)
        if not isinstance(field, Text | Uuid | Enum):
            return bytewise
        return sql("{} IN ({}) AND {}", column, listed(values), bytewise)

    def substring(self, column: Column, test: Substring) -> Sql:
        """UTF-8 keeps substrings: a part of the bytes is a part of the text."""
        return _substring(_bytes((column,)), test)

    def json_condition(self, condition: JsonCondition) -> Sql:
        """JSON_TYPE tells the types apart, then strings compare by bytes, integers as decimals, the rest as doubles."""
        value = _value(condition)
        typed = sql(f"JSON_TYPE({{}}) = '{condition.type.upper()}'", value)
        text = _bytes(sql("JSON_UNQUOTE({})", value))
        match condition.test:
            case Present() if condition.type == "any":
                return sql("({} IS NOT NULL AND JSON_TYPE({}) <> 'NULL')", value, value)
            case OneOf(values) if condition.type == "number":
                return joined("OR", [self._number(condition, value, numbers.equal_bounds(one)) for one in values])
            case Ordered(op, bound) if condition.type == "number":
                return self._number(condition, value, ((op, bound),))
            case Present():
                return sql("({} IS NOT NULL AND {})", value, typed)
            case OneOf(values):
                written = [one if isinstance(one, str) else dumps(one) for one in values]
                test = sql("{} IN ({})", text, listed([_bytes((Parameter(one, "text"),)) for one in written]))
            case Ordered(op, bound):
                test = sql(f"{{}} {COMPARES[op]} {{}}", text, _bytes((Parameter(bound, "text"),)))
            case Substring():
                test = _substring(text, condition.test)
            case ArrayLength(length):
                test = sql(f"JSON_LENGTH({{}}) = {length}", value)
            case OnlyMembers(names):
                test = sql(f"JSON_LENGTH({{}}) = {len(names)}", value)
            case AnyElement(plan):
                elements = sql("JSON_TABLE({}, '$[*]' COLUMNS (value JSON PATH '$')) AS writ_element", value)
                # MySQL makes a join of EXISTS, and may then read the elements of one row for all rows.
                test = sql("(SELECT COUNT(*) FROM {} WHERE {}) > 0", elements, self.condition(plan))
            case Matches(pattern):
                self.refuse_pattern(condition, pattern)
            case NoneOf():
                raise AssertionError("of columns only")
        return sql("({} IS NOT NULL AND {} AND {})", value, typed, test)

    def _number(self, condition: JsonCondition, value: Sql, bounds: tuple[tuple[Ordering, Any], ...]) -> Sql:
        if any(abs(bound) >= WIDEST for _, bound in bounds):
            self.refuse(condition, "numbers in its JSON are exact below 10^64 only", "compare with a smaller number")
        text = sql("JSON_UNQUOTE({})", value)
        without_exponent = sql("LOCATE('e', LOWER({})) = 0", text)  # MariaDB takes `1e-5` for an integer
        whole, fraction = [], []
        for op, bound in bounds:
            integer, double = numbers.whole_bound(op, bound), numbers.real_bound(op, bound)
            assert not isinstance(double, bool)
            whole.append(_compared(sql("CAST({} AS DECIMAL(65, 0))", text), integer, "integer"))
            fraction.append(_compared(sql("CAST({} AS DOUBLE)", text), double, "real"))
        return sql(
            "(CASE WHEN JSON_TYPE({}) IN ('INTEGER', 'UNSIGNED INTEGER') AND {} THEN {}"
            " WHEN JSON_TYPE({}) IN ('INTEGER', 'DOUBLE', 'DECIMAL') THEN {} ELSE FALSE END)",
            value,
            without_exponent,
            joined("AND", whole),
            value,
            joined("AND", fraction),
        )


def _compared(number: Sql, bound: tuple[Ordering, Any], type: ValueType) -> Sql:
    op, at = bound
    return sql(f"{{}} {COMPARES[op]} {{}}", number, Parameter(at, type))


def _bytes(text: Sql) -> Sql:
    return sql(BYTES, text)


def _substring(text: Sql, test: Substring) -> Sql:
    part, length = _bytes((Parameter(test.text, "text"),)), len(test.text.encode())
    if test.position == "start":
        return sql(f"LEFT({{}}, {length}) = {{}}", text, part)
    if test.position == "end":
        return sql(f"RIGHT({{}}, {length}) = {{}}", text, part)
    return sql("LOCATE({}, {}) > 0", part, text)


def _value(condition: JsonCondition) -> Sql:
    whole: Sql = ("writ_element.value",) if condition.column is ELEMENT else (Column(condition.column),)
    if not condition.steps:
        return whole
    legs = (f"[{step}]" if isinstance(step, int) else "." + dumps(step, ensure_ascii=False) for step in condition.steps)
    return sql("JSON_EXTRACT({}, {})", whole, Parameter("$" + "".join(legs), "text"))
