"""SQL conditions that are true or false of every row, never NULL: the part that all dialects share."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn, TypeAlias, assert_never

from ....bundles.conditions.operators import Operator, Ordering
from ....bundles.conditions.trees.tree import And, Const, Not, Or
from ..column_conditions import (
    AnyElement,
    ArrayCondition,
    ArrayLength,
    ColumnCondition,
    DirectCondition,
    JsonCondition,
    Matches,
    NoneOf,
    OneOf,
    OnlyMembers,
    Ordered,
    Plan,
    Present,
    Substring,
)
from ..errors import Untranslatable
from ..fields import Boolean, Decimal, Enum, Integer, Real, Text, TypedField
from .fragments import ArrayType, Column, Given, Parameter, Sql, ValueType, joined, listed, repeated, sql

COMPARES: dict[Ordering, str] = {Operator.GT: ">", Operator.GTE: ">=", Operator.LT: "<", Operator.LTE: "<="}
Leaf: TypeAlias = ColumnCondition | ArrayCondition | JsonCondition
ARRAYS: dict[type, ArrayType] = {Text: "texts", Integer: "integers", Real: "reals", Boolean: "booleans"}
TYPES: dict[type, ValueType] = {
    Text: "text",
    Integer: "integer",
    Real: "real",
    Decimal: "decimal",
    Boolean: "boolean",
    Enum: "text",
}


class Dialect(ABC):
    """A dialect of SQL. Its tables have a template for each type of column; `{}` is the column or the value."""

    name: ClassVar[str]
    most_values: ClassVar[int]
    """The number of bound values that a statement takes."""
    present: ClassVar[dict[type, str]] = {}
    """The condition that the column holds a value of its type. It is never NULL itself."""
    absent: ClassVar[dict[type, str]] = {}
    """The negation of `present`, for types of which an index serves another form than NOT."""
    exact: ClassVar[dict[type, str]] = {}
    """The column as it is compared by value, strings by code point."""
    value: ClassVar[dict[type, str]] = {}
    """A bound value as it is compared with the column in `exact`."""
    bound: ClassVar[dict[type, Callable[[Any], Parameter]]]
    """A UUID, a date, or an instant in UTC, as it is bound."""
    pattern: ClassVar[str | None] = None
    """The condition that a text column matches an RE2 pattern, if the patterns of the dialect are RE2."""
    never_null: ClassVar[tuple[type, ...]] = ()
    """The types whose `one_of` is false, and not NULL, of a column without a value."""
    holds_nul: ClassVar[bool] = True
    true: ClassVar[str] = "TRUE"
    false: ClassVar[str] = "FALSE"

    def condition(self, plan: Plan) -> Sql:
        """Returns the condition of a plan. Raises Untranslatable for one that the dialect cannot express exactly."""
        match plan:
            case Const(value):
                return (self.true if value else self.false,)
            case And(children):
                return joined("AND", [self.condition(child) for child in children])
            case Or(children):
                return joined("OR", [self.condition(child) for child in children])
            case Not(ColumnCondition(field, NoneOf(values), path)):
                return self.absent_or_one_of(ColumnCondition(field, OneOf(values), path))
            case Not(child):
                return sql("(NOT {})", self.condition(child))
            case ColumnCondition():
                return self.column_condition(plan)
            case ArrayCondition():
                self.check_text(plan, *plan.values)
                return self.array_condition(plan)
            case DirectCondition(given):
                return (Given(given),)
            case JsonCondition():
                self.check_text(plan, *plan.steps)
                return self.json_condition(plan)
            case _:
                assert_never(plan)

    def column_condition(self, condition: ColumnCondition) -> Sql:
        """Returns a condition on a column of one type."""
        column, field = Column(condition.field.column), condition.field
        template = self.present.get(type(field), "{} IS NOT NULL")
        present = repeated(template, column)
        match condition.test:
            case Present():
                return sql("({})", present)
            case OneOf(values):
                test = self.one_of(field, column, [self.parameter(field, value, condition) for value in values])
                if isinstance(field, self.never_null):
                    return sql("({})", test)
            case NoneOf(values):
                test = self.none_of(field, column, [self.parameter(field, value, condition) for value in values])
            case Ordered(op, value):
                bound = self.exact_value(field, self.parameter(field, value, condition))
                test = sql(f"{{}} {COMPARES[op]} {{}}", self.ordered_column(type(field), column), bound)
            case Substring(text):
                self.check_text(condition, text)
                test = self.substring(column, condition.test)
            case Matches(pattern) if self.pattern:
                test = sql(self.pattern, self.exact_column(Text, column), Parameter(pattern, "text"))
            case Matches(pattern):
                self.refuse_pattern(condition, pattern)
            case ArrayLength() | OnlyMembers() | AnyElement():
                raise AssertionError("of JSON only")
        return sql("({} AND {})", present, test)

    def absent_or_one_of(self, condition: ColumnCondition) -> Sql:
        """Returns `condition`, or that there is no value: the negation of `NoneOf`, in a form that an index serves."""
        type, column = condition.field.__class__, Column(condition.field.column)
        template = self.absent.get(type) or (f"NOT ({self.present[type]})" if type in self.present else "{} IS NULL")
        return sql("({} OR {})", repeated(template, column), self.column_condition(condition))

    def one_of(self, field: TypedField, column: Column, values: list[Parameter]) -> Sql:
        """Returns the condition that the column, which is not NULL, equals one of the values."""
        given = [self.exact_value(field, value) for value in values]
        return among(self.exact_column(type(field), column), "=", "IN", given)

    def none_of(self, field: TypedField, column: Column, values: list[Parameter]) -> Sql:
        """Returns the condition that the column, which is not NULL, equals none of the values."""
        given = [self.exact_value(field, value) for value in values]
        return among(self.exact_column(type(field), column), "<>", "NOT IN", given)

    def exact_column(self, type: type[TypedField], column: Column) -> Sql:
        """Returns a column of this type as `exact` has it."""
        return repeated(self.exact.get(type, "{}"), column)

    def ordered_column(self, type: type[TypedField], column: Column) -> Sql:
        """Returns a column of this type as it is compared by order."""
        return self.exact_column(type, column)

    def exact_value(self, field: TypedField, value: Parameter) -> Sql:
        """Returns the value as `value` has it."""
        return sql(self.value.get(type(field), "{}"), value)

    def parameter(self, field: TypedField, value: Any, condition: ColumnCondition) -> Parameter:
        """Returns a value of the column's type as a parameter."""
        if type(field) in self.bound:
            return self.bound[type(field)](value)
        self.check_text(condition, value)
        return Parameter(value, TYPES[type(field)])

    def check_text(self, condition: Leaf, *values: Any) -> None:
        """Refuses U+0000 if the strings of the dialect cannot hold it."""
        if not self.holds_nul and any(isinstance(value, str) and "\0" in value for value in values):
            self.refuse(condition, f"no string of {self.name} holds U+0000", "take it out of the policy")

    def refuse(self, condition: Leaf, reason: str, remedy: str) -> NoReturn:
        """Raises Untranslatable for the node of a condition."""
        raise Untranslatable(condition.path, self.name, reason, remedy)

    @abstractmethod
    def substring(self, column: Column, test: Substring) -> Sql:
        """Returns the condition that a text column, which is not NULL, passes the test."""

    def refuse_pattern(self, condition: ColumnCondition | JsonCondition, pattern: str) -> NoReturn:
        """Refuses a pattern that is more than plain text."""
        self.refuse(
            condition,
            f"its regular expressions are not RE2, and `{pattern}` is more than plain text",
            "let the policy compare with eq, in, or a pattern of plain text between ^ and $",
        )

    def array_condition(self, condition: ArrayCondition) -> Sql:
        """Returns a condition on a column of arrays."""
        self.refuse(condition, "it has no columns of arrays", "keep the array as JSON, and map the key to Json")

    @abstractmethod
    def json_condition(self, condition: JsonCondition) -> Sql:
        """Returns a condition on a JSON value."""


def among(exact: Sql, one: str, many: str, values: list[Sql]) -> Sql:
    """Returns `exact` compared with one value by the operator `one`, or with a list of them by `many`."""
    if len(values) == 1:
        return sql(f"{{}} {one} {{}}", exact, values[0])
    return sql(f"{{}} {many} ({{}})", exact, listed(values))
