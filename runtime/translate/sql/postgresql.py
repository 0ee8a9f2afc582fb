"""PostgreSQL: text under `COLLATE "C"`, JSON as jsonb, whose numbers are exact decimals."""

from decimal import Decimal
from json import dumps
from typing import Any, ClassVar

from ....bundles.conditions.operators import Ordering
from ..fields import Real, Text
from ..numbers import equal_bounds, read_bound
from ..plan import Cell, Holds, JsonCell, Keys, Matches, NoneOf, OneOf, Ordered, Present, Size, TypedField
from .dialect import COMPARES, Dialect
from .pieces import Bound, Column, Sql, joined, sql


class PostgreSql(Dialect):
    """PostgreSQL 12 or newer, a database in UTF-8, columns of text or varchar, bigint, double precision, jsonb."""

    name = "postgresql"
    most_values = 65_535
    holds_nul = False

    held: ClassVar[dict[type, str]] = {Real: "{} IS NOT NULL AND {} > '-Infinity' AND {} < 'Infinity'"}
    # NaN is the greatest double here. The cast takes citext and the like back to text.
    exact: ClassVar[dict[type, str]] = {Text: 'CAST({} AS text) COLLATE "C"'}
    value: ClassVar[dict[type, str]] = {Text: "CAST({} AS text)"}

    def one_of(self, field: TypedField, column: Column, values: list[Bound]) -> Sql:
        """Equality under the column's own collation lets its index serve, under "C" it decides."""
        if not isinstance(field, Text):
            return super().one_of(field, column, values)
        exact = self.compared(field, column)
        if len(values) == 1:
            return sql("{} = {} AND {} = {}", column, _text(values[0]), exact, _text(values[0]))
        several = _texts([value.value for value in values])
        return sql("{} = ANY({}) AND {} = ANY({})", column, several, exact, several)

    def none_of(self, field: TypedField, column: Column, values: list[Bound]) -> Sql:
        """Many strings travel as one array."""
        if not isinstance(field, Text) or len(values) == 1:
            return super().none_of(field, column, values)
        return sql("{} <> ALL({})", self.compared(field, column), _texts([value.value for value in values]))

    def holds(self, cell: Cell, column: Column) -> Sql:
        """Functions of strings under "C"; LIKE would need its wildcards escaped."""
        assert isinstance(cell.says, Holds)
        return self._holds(self.compared(cell.field, column), cell.says, cell)

    def _holds(self, text: Sql, says: Holds, cell: Cell | JsonCell) -> Sql:
        self.check_text(cell, says.text)
        part = _text(Bound(says.text, "text"))
        if says.place == "start":
            return sql("starts_with({}, {})", text, part)
        if says.place == "end":
            return sql(f"right({{}}, {len(says.text)}) = {{}}", text, part)
        return sql("strpos({}, {}) > 0", text, part)

    def json(self, cell: JsonCell) -> Sql:
        """jsonb compares with jsonb, by type and value; strings are ordered as text."""
        value = _value(cell)
        present = sql("{} IS NOT NULL", value)
        match cell.says:
            case Present() if cell.type == "any":
                return sql("({} AND jsonb_typeof({}) <> 'null')", present, value)
            case Present():
                test = sql(f"jsonb_typeof({{}}) = '{cell.type}'", value)
            case OneOf(values) if cell.type == "number":
                return joined("OR", [self._number(value, equal_bounds(found)) for found in values])
            case OneOf(values):
                self.check_text(cell, *values)
                test = _one_of(value, values)
            case Ordered(op, bound) if cell.type == "number":
                return self._number(value, ((op, bound),))
            case Ordered(op, bound):
                self.check_text(cell, bound)
                template = f"jsonb_typeof({{}}) = 'string' AND {{}} {COMPARES[op]} {{}}"
                test = sql(template, value, _string(value), _text(Bound(bound, "text")))
            case Holds():
                test = sql("jsonb_typeof({}) = 'string' AND {}", value, self._holds(_string(value), cell.says, cell))
            case Size(length):
                template = "CASE WHEN jsonb_typeof({}) = 'array' THEN jsonb_array_length({}) = {} ELSE FALSE END"
                test = sql(template, value, value, str(length))
            case Keys(names):
                self.check_text(cell, *names)
                template = "CASE WHEN jsonb_typeof({}) = 'object' THEN {} - {} = jsonb_build_object() ELSE FALSE END"
                test = sql(template, value, value, _texts(list(names)))
            case Matches(pattern):
                self.refuse_pattern(cell, pattern)
            case NoneOf():
                raise AssertionError("of columns only")
        return sql("({} AND {})", present, test)

    def _number(self, value: Sql, bounds: tuple[tuple[Ordering, Any], ...]) -> Sql:
        """Integers compare exactly; a number with a fraction is read as the double nearest to it, so does its bound.

        CASE, since AND may look at its right side first, and the cast raises for what is no number.
        """
        number = sql("CAST({} AS numeric)", value)

        def all_of(pairs: list[tuple[Ordering, Any]]) -> Sql:
            tests = [sql(f"{{}} {COMPARES[op]} {{}}", number, Bound(bound, "decimal")) for op, bound in pairs]
            return joined("AND", tests)

        whole = all_of([(op, Decimal(bound)) for op, bound in bounds])
        fraction = all_of([read_bound(op, bound) for op, bound in bounds])
        return sql(
            "(CASE WHEN jsonb_typeof({}) = 'number' THEN CASE WHEN scale({}) = 0 THEN {} ELSE {} END ELSE FALSE END)",
            value,
            number,
            whole,
            fraction,
        )


def _value(cell: JsonCell) -> Sql:
    value: Sql = (Column(cell.column),)
    for step in cell.steps:
        value = sql("{} -> {}", value, str(step) if isinstance(step, int) else _text(Bound(step, "text")))
    return sql("({})", value) if cell.steps else value


def _string(value: Sql) -> Sql:
    return sql('({} #>> ARRAY[]::text[]) COLLATE "C"', value)


def _one_of(value: Sql, values: tuple[Any, ...]) -> Sql:
    """Strings or booleans: jsonb's own equality is of one type."""
    written = [dumps(found, ensure_ascii=False) for found in values]
    if len(written) == 1:
        return sql("{} = CAST({} AS jsonb)", value, Bound(written[0], "text"))
    return sql("{} = ANY(CAST({} AS jsonb[]))", value, _texts(written))


def _text(value: Bound) -> Sql:
    return sql("CAST({} AS text)", value)


def _texts(values: list[str]) -> Sql:
    return sql("CAST({} AS text[])", Bound(values, "texts"))
