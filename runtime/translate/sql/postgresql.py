"""PostgreSQL: text under `COLLATE "C"`, JSON as jsonb, whose numbers are exact decimals."""

from collections.abc import Callable
from decimal import Decimal as Exact
from json import dumps
from typing import Any, ClassVar

from ....bundles.conditions.operators import Operator, Ordering
from ..column_conditions import (
    ELEMENT,
    AnyElement,
    ArrayCondition,
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
from ..column_numbers import equal_bounds, read_bound, survives_json
from ..fields import Date, DateTime, Decimal, Enum, Real, Text, TypedField, Uuid
from .dialect import COMPARES, Dialect
from .fragments import Column, Parameter, Sql, joined, sql
from .postgresql_arrays import array_condition


class PostgreSql(Dialect):
    """PostgreSQL 12 or newer, a database in UTF-8.

    Columns are of text, varchar, citext, bigint, double precision, numeric, uuid, date, timestamp, enum types, jsonb,
    and of arrays of text, integers, double precision and boolean.
    """

    name = "postgresql"
    most_values = 65_535
    holds_nul = False

    # NaN is the greatest number here. A date may be infinite, BC or beyond the year 9999.
    # The difference, `isfinite`, the time and the collation below are errors for a column of another type.
    present: ClassVar[dict[type, str]] = {
        Real: "{} IS NOT NULL AND {} > '-Infinity' AND {} < 'Infinity'",
        Decimal: "{} IS NOT NULL AND {} > -1e15 AND {} < 1e15",
        Date: "{} IS NOT NULL AND {} - 0 BETWEEN DATE '0001-01-01' AND DATE '9999-12-31'",
        DateTime: (
            "{} IS NOT NULL AND isfinite({}) AND CAST({} AS time) IS NOT NULL"
            " AND {} >= '0001-01-01 00:00:00+00' AND {} <= '9999-12-31 23:59:59.999999+00'"
        ),
    }
    # The cast takes citext, enumerations and the like back to text.
    exact: ClassVar[dict[type, str]] = {
        Text: 'CAST({} COLLATE "C" AS text) COLLATE "C"',
        Enum: 'CAST({} AS text) COLLATE "C"',
    }
    # An instant has no cast: it is read by the column's own type, and one without a zone ignores the offset.
    value: ClassVar[dict[type, str]] = {
        Text: "CAST({} AS text)",
        Enum: "CAST({} AS text)",
        Uuid: "CAST({} AS uuid)",
        Date: "CAST({} AS date)",
    }
    bound: ClassVar[dict[type, Callable[[Any], Parameter]]] = {
        Uuid: lambda value: Parameter(str(value), "text"),
        Date: lambda value: Parameter(value.isoformat(), "text"),
        DateTime: lambda value: Parameter(f"{value.isoformat(' ', 'microseconds')}+00:00", "instant"),
    }

    never_null: ClassVar[tuple[type, ...]] = (Text,)

    def one_of(self, field: TypedField, column: Column, values: list[Parameter]) -> Sql:
        """Equality under the column's own collation lets its index serve, under "C" it decides.

        Only a nondeterministic collation lets them differ. PERF: as a second equality, the planner would take it for
        another condition that one row in a thousand meets. It takes `IS NOT NULL` for one that nearly all meet.
        """
        if not isinstance(field, Text):
            return super().one_of(field, column, values)
        exact = self.exact_column(Text, column)
        if len(values) == 1:
            one = _text(values[0])
            return sql("{} = {} AND NULLIF({} = {}, FALSE) IS NOT NULL", column, one, exact, one)
        several = _texts([value.value for value in values])
        return sql("{} = ANY({}) AND NULLIF({} = ANY({}), FALSE) IS NOT NULL", column, several, exact, several)

    def none_of(self, field: TypedField, column: Column, values: list[Parameter]) -> Sql:
        """Many strings travel as one array."""
        if not isinstance(field, Text) or len(values) == 1:
            return super().none_of(field, column, values)
        return sql("{} <> ALL({})", self.exact_column(Text, column), _texts([value.value for value in values]))

    def substring(self, column: Column, test: Substring) -> Sql:
        """Functions of strings under "C"; LIKE would need its wildcards escaped."""
        return _substring(self.exact_column(Text, column), test)

    def array_condition(self, condition: ArrayCondition) -> Sql:
        """Arrays overlap by the operator of GIN indexes."""
        return array_condition(condition)

    def json_condition(self, condition: JsonCondition) -> Sql:
        """jsonb compares with jsonb, by type and value; strings are ordered as text."""
        value = _value(condition)
        present = sql("{} IS NOT NULL", value)
        match condition.test:
            case Present() if condition.type == "any":
                return sql("({} AND jsonb_typeof({}) <> 'null')", present, value)
            case Present():
                test = sql(f"jsonb_typeof({{}}) = '{condition.type}'", value)
            case OneOf(values) if condition.type == "number":
                self._check_numbers(condition, Operator.EQ, *values)
                return joined("OR", [self._number(value, equal_bounds(found)) for found in values])
            case OneOf(values):
                self.check_text(condition, *values)
                test = _one_of(value, values)
            case Ordered(op, bound) if condition.type == "number":
                self._check_numbers(condition, op, bound)
                return self._number(value, ((op, bound),))
            case Ordered(op, bound):
                self.check_text(condition, bound)
                template = f"jsonb_typeof({{}}) = 'string' AND {{}} {COMPARES[op]} {{}}"
                test = sql(template, value, _string(value), _text(Parameter(bound, "text")))
            case Substring(text):
                self.check_text(condition, text)
                test = sql("jsonb_typeof({}) = 'string' AND {}", value, _substring(_string(value), condition.test))
            case ArrayLength(length):
                template = "CASE WHEN jsonb_typeof({}) = 'array' THEN jsonb_array_length({}) = {} ELSE FALSE END"
                test = sql(template, value, value, str(length))
            case OnlyMembers(names):
                self.check_text(condition, *names)
                template = "CASE WHEN jsonb_typeof({}) = 'object' THEN {} - {} = jsonb_build_object() ELSE FALSE END"
                test = sql(template, value, value, _texts(list(names)))
            case AnyElement(plan):
                elements = sql(
                    "CASE WHEN jsonb_typeof({}) = 'array' THEN {} ELSE jsonb_build_array() END", value, value
                )
                template = "EXISTS (SELECT 1 FROM jsonb_array_elements({}) AS writ_element (value) WHERE {})"
                test = sql(template, elements, self.condition(plan))
            case Matches(pattern):
                self.refuse_pattern(condition, pattern)
            case NoneOf():
                raise AssertionError("of columns only")
        return sql("({} AND {})", present, test)

    def _check_numbers(self, condition: JsonCondition, op: Operator, *constants: Any) -> None:
        """Refuses a constant that a double and the integer that jsonb makes of it compare with differently."""
        for constant in constants:
            if not survives_json(op, constant):
                reason = f"jsonb keeps large doubles as integers, which compare otherwise with `{constant}`"
                self.refuse(condition, reason, "keep the number in a column of bigint, double precision or numeric")

    def _number(self, value: Sql, bounds: tuple[tuple[Ordering, Any], ...]) -> Sql:
        """Integers compare exactly. A number with a fraction counts as the double nearest to it, and so does its bound.

        CASE, since AND may look at its right side first, and the cast raises for a value that is not a number.
        """
        number = sql("CAST({} AS numeric)", value)

        def all_of(pairs: list[tuple[Ordering, Any]]) -> Sql:
            tests = [sql(f"{{}} {COMPARES[op]} {{}}", number, Parameter(bound, "decimal")) for op, bound in pairs]
            return joined("AND", tests)

        whole = all_of([(op, Exact(bound)) for op, bound in bounds])
        fraction = all_of([read_bound(op, bound) for op, bound in bounds])
        return sql(
            "(CASE WHEN jsonb_typeof({}) = 'number' THEN CASE WHEN scale({}) = 0 THEN {} ELSE {} END ELSE FALSE END)",
            value,
            number,
            whole,
            fraction,
        )


def _substring(text: Sql, test: Substring) -> Sql:
    part = _text(Parameter(test.text, "text"))
    if test.position == "start":
        return sql("starts_with({}, {})", text, part)
    if test.position == "end":
        return sql(f"right({{}}, {len(test.text)}) = {{}}", text, part)
    return sql("strpos({}, {}) > 0", text, part)


def _value(condition: JsonCondition) -> Sql:
    value: Sql = ("writ_element.value",) if condition.column is ELEMENT else (Column(condition.column),)
    for step in condition.steps:
        value = sql("{} -> {}", value, str(step) if isinstance(step, int) else _text(Parameter(step, "text")))
    return sql("({})", value) if condition.steps else value


def _string(value: Sql) -> Sql:
    return sql('({} #>> ARRAY[]::text[]) COLLATE "C"', value)


def _one_of(value: Sql, values: tuple[Any, ...]) -> Sql:
    """Strings or booleans: jsonb's own equality is of one type."""
    written = [dumps(found, ensure_ascii=False) for found in values]
    if len(written) == 1:
        return sql("{} = CAST({} AS jsonb)", value, Parameter(written[0], "text"))
    return sql("{} = ANY(CAST({} AS jsonb[]))", value, _texts(written))


def _text(value: Parameter) -> Sql:
    return sql("CAST({} AS text)", value)


def _texts(values: list[str]) -> Sql:
    return sql("CAST({} AS text[])", Parameter(values, "texts"))
