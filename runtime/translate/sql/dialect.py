"""SQL conditions that are true or false of every row, never NULL: what all dialects share, and what each must say."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NoReturn, assert_never

from ....bundles.conditions.operators import Operator, Ordering
from ..errors import Untranslatable
from ..fields import Boolean, Decimal, Integer, Real, Text
from ..plan import (
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
    TypedField,
    Without,
)
from .pieces import Bound, Column, Sql, ValueType, joined, listed, sql

COMPARES: dict[Ordering, str] = {Operator.GT: ">", Operator.GTE: ">=", Operator.LT: "<", Operator.LTE: "<="}
TYPES: dict[type, ValueType] = {
    Text: "text",
    Integer: "integer",
    Real: "real",
    Decimal: "decimal",
    Boolean: "boolean",
}


class Dialect(ABC):
    """A dialect of SQL: its tables by type of column, in which each `{}` is the column or the value."""

    name: ClassVar[str]
    most_values: ClassVar[int]
    """How many bound values its statements take."""
    held: ClassVar[dict[type, str]] = {}
    """That the column holds a value of its type; never NULL itself."""
    exact: ClassVar[dict[type, str]] = {}
    """The column in a form that is compared by value, strings by code point."""
    value: ClassVar[dict[type, str]] = {}
    """A bound value in the form that `exact` gives the column."""
    pattern: ClassVar[str | None] = None
    """That an RE2 pattern is found in a text column, where the dialect's patterns are RE2."""
    holds_nul: ClassVar[bool] = True
    true: ClassVar[str] = "TRUE"
    false: ClassVar[str] = "FALSE"

    def condition(self, plan: Plan) -> Sql:
        """The condition of a plan; raises Untranslatable for what the dialect can't say exactly."""
        match plan:
            case bool():
                return (self.true if plan else self.false,)
            case Every(parts):
                return joined("AND", [self.condition(part) for part in parts])
            case Either(parts):
                return joined("OR", [self.condition(part) for part in parts])
            case Without(part):
                return sql("(NOT {})", self.condition(part))
            case Cell():
                return self.cell(plan)
            case JsonCell():
                self.check_text(plan, *plan.steps)
                return self.json(plan)
            case _:
                assert_never(plan)

    def cell(self, cell: Cell) -> Sql:
        """A condition on a column of one type."""
        column, field = Column(cell.field.column), cell.field
        held = self.held.get(type(field), "{} IS NOT NULL")
        present = sql(held, *[column] * held.count("{}"))
        match cell.says:
            case Present():
                return sql("({})", present)
            case OneOf(values):
                test = self.one_of(field, column, [self.bound(field, value, cell) for value in values])
            case NoneOf(values):
                test = self.none_of(field, column, [self.bound(field, value, cell) for value in values])
            case Ordered(op, value):
                bound = self.given(field, self.bound(field, value, cell))
                test = sql(f"{{}} {COMPARES[op]} {{}}", self.compared(field, column), bound)
            case Holds():
                test = self.holds(cell, column)
            case Matches(pattern) if self.pattern:
                test = sql(self.pattern, self.compared(field, column), Bound(pattern, "text"))
            case Matches(pattern):
                self.refuse_pattern(cell, pattern)
            case Size() | Keys():
                raise AssertionError("of JSON only")
        return sql("({} AND {})", present, test)

    def one_of(self, field: TypedField, column: Column, values: list[Bound]) -> Sql:
        """That the column, which is not NULL, equals one of the values."""
        return among(self.compared(field, column), "=", "IN", [self.given(field, value) for value in values])

    def none_of(self, field: TypedField, column: Column, values: list[Bound]) -> Sql:
        """That the column, which is not NULL, equals none of the values."""
        return among(self.compared(field, column), "<>", "NOT IN", [self.given(field, value) for value in values])

    def compared(self, field: TypedField, column: Column) -> Sql:
        """The column as `exact` has it."""
        return sql(self.exact.get(type(field), "{}"), column)

    def given(self, field: TypedField, value: Bound) -> Sql:
        """The value as `value` has it."""
        return sql(self.value.get(type(field), "{}"), value)

    def bound(self, field: TypedField, value: Any, cell: Cell) -> Bound:
        """A value of the column's type, as the driver takes it."""
        self.check_text(cell, value)
        return Bound(value, TYPES[type(field)])

    def check_text(self, cell: Cell | JsonCell, *values: Any) -> None:
        """Refuse U+0000 where the dialect's strings can't hold it."""
        if not self.holds_nul and any(isinstance(value, str) and "\0" in value for value in values):
            self.refuse(cell, f"no string of {self.name} holds U+0000", "take it out of the policy")

    def refuse(self, cell: Cell | JsonCell, reason: str, remedy: str) -> NoReturn:
        """Raise Untranslatable for a node."""
        raise Untranslatable(cell.path, self.name, reason, remedy)

    @abstractmethod
    def holds(self, cell: Cell, column: Column) -> Sql:
        """That the text column holds `cell.says`."""

    def refuse_pattern(self, cell: Cell | JsonCell, pattern: str) -> NoReturn:
        """Refuse a pattern that is more than text."""
        self.refuse(
            cell,
            f"its regular expressions are not RE2, and `{pattern}` is more than plain text",
            "let the policy compare with eq, in, or a pattern of plain text between ^ and $",
        )

    @abstractmethod
    def json(self, cell: JsonCell) -> Sql:
        """A condition on a JSON value."""


def among(exact: Sql, one: str, many: str, values: list[Sql]) -> Sql:
    """`exact` before one value or a list of them."""
    if len(values) == 1:
        return sql(f"{{}} {one} {{}}", exact, values[0])
    return sql(f"{{}} {many} ({{}})", exact, listed(values))
