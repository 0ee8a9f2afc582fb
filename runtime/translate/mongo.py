"""A filter as a MongoDB query: one `$expr`, since the operators of the query language itself look into arrays."""

from datetime import UTC, datetime
from typing import Any, assert_never

from ...bundles.conditions.operators import IS_UPWARD, Operator, Ordering
from ...bundles.conditions.trees.tree import And, Const, Not, Or
from .column_conditions import (
    ELEMENT,
    AnyElement,
    ArrayCondition,
    ArrayLength,
    ColumnCondition,
    DirectCondition,
    JsonCondition,
    JsonType,
    Matches,
    NoneOf,
    OneOf,
    OnlyMembers,
    Ordered,
    Plan,
    Present,
    Substring,
    ValueTest,
)
from .column_numbers import INT64, Number, real, real_bound
from .column_plan import in_milliseconds
from .errors import Untranslatable
from .fields import DateTime, Direct, Fields
from .read_tree import TreeLimits
from .translation_plan import plan

Query = dict[str, Any]

_NUMBERS = ["int", "long", "double"]
_TYPES: dict[JsonType, list[str]] = {
    "any": ["string", *_NUMBERS, "bool", "array", "object"],
    "string": ["string"],
    "number": _NUMBERS,
    "boolean": ["bool"],
    "array": ["array"],
    "object": ["object"],
}
"""The types of BSON that JSON has too. A decimal, a date or an ObjectId is not a JSON value, so it is absent."""

_COMPARES: dict[Ordering, str] = {
    Operator.GT: "$gt",
    Operator.GTE: "$gte",
    Operator.LT: "$lt",
    Operator.LTE: "$lte",
}
_VALUE = "$$writ"
LAST = datetime(9999, 12, 31, 23, 59, 59, 999_000)
"""The last Date with a text."""


def query(tree: Any, fields: Fields, limits: TreeLimits | None = None, *, direct: Direct | None = None) -> Query:
    """Returns the filter as a query document for `find`, `$match` and the like, of MongoDB 5.0.3 or newer.

    A field is `Json(name)`, `Json(name, path)`, `Attributes(name)` or, for a Date of BSON, `DateTime(name)`, the name
    one of the document's own. The query has a date as a `datetime` in UTC of whole milliseconds, as BSON has it. Where
    the collection has a collation, ask with `collation={"locale": "simple"}`: another one folds what differs. `direct`
    returns the expression of aggregation for a node of direct grants (F8). Raises BadFilter and Untranslatable.

    >>> query({"type": "const", "value": False}, {})
    {'$expr': False}
    """
    return {"$expr": _condition(plan(tree, fields, "mongodb", limits, direct))}


def _condition(plan: Plan) -> Any:
    match plan:
        case Const(value):
            return value
        case And(children):
            return {"$and": [_condition(child) for child in children]}
        case Or(children):
            return {"$or": [_condition(child) for child in children]}
        case Not(child):
            return {"$not": [_condition(child)]}
        case JsonCondition():
            if any("\0" in step for step in plan.steps if isinstance(step, str)):
                raise Untranslatable(
                    plan.path, "mongodb", "no name in its documents holds U+0000", "take it out of the policy"
                )
            typed = {"$in": [{"$type": _VALUE}, _TYPES[plan.type]]}
            # $cond, not $and: the functions of strings and arrays raise for other types.
            holds = {"$cond": [typed, _test(plan), False]}
            return {"$let": {"vars": {"writ": _value(plan)}, "in": holds}}
        case DirectCondition(given):
            return given
        case ColumnCondition(DateTime(name), test):
            return {"$let": {"vars": {"writ": _member(name, "$$ROOT")}, "in": _date_condition(test)}}
        case ColumnCondition() | ArrayCondition():
            raise Untranslatable(
                plan.path,
                "mongodb",
                "its documents hold any type in any field",
                "map the key to Json, Attributes or DateTime",
            )
        case _:
            assert_never(plan)


def _date_condition(test: ValueTest) -> Any:
    """Returns the test of a Date, which may be before the year 1 or after 9999, and is absent then."""
    is_date = {"$eq": [{"$type": _VALUE}, "date"]}
    present = [is_date, {"$gte": [_VALUE, _date(datetime.min)]}, {"$lte": [_VALUE, _date(LAST)]}]
    match in_milliseconds(test):
        case None:
            return False
        case OneOf(values):
            return {"$and": [*present, {"$in": [_VALUE, {"$literal": list(map(_utc, values))}]}]}
        case NoneOf(values):
            return {"$and": [*present, {"$not": [{"$in": [_VALUE, {"$literal": list(map(_utc, values))}]}]}]}
        case Ordered(op, value):
            return {"$and": [*present, {_COMPARES[op]: [_VALUE, _date(value)]}]}
        case _:
            return {"$and": present}


def _utc(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC)


def _date(value: datetime) -> Any:
    return {"$literal": _utc(value)}


def _test(condition: JsonCondition) -> Any:
    """Returns the test of a value that has the condition's type."""
    match condition.test:
        case Present():
            return True
        case OneOf(values) if condition.type == "number":
            numbers = [number for value in values if (number := _number(value)) is not None]
            return {"$in": [_VALUE, {"$literal": numbers}]}
        case OneOf(values):
            return {"$in": [_VALUE, {"$literal": list(values)}]}
        case Ordered(op, value) if condition.type == "number":
            return _ordered(op, value)
        case Ordered(op, value):
            return {_COMPARES[op]: [_VALUE, {"$literal": value}]}
        case Substring(text, position):
            return _substring(text, position)
        case ArrayLength(length):
            return {"$eq": [{"$size": _VALUE}, length]}
        case OnlyMembers(names):
            members = {"$map": {"input": {"$objectToArray": _VALUE}, "as": "member", "in": "$$member.k"}}
            return {"$setIsSubset": [members, {"$literal": list(names)}]}
        case AnyElement(plan):
            return {"$anyElementTrue": [{"$map": {"input": _VALUE, "as": "element", "in": _condition(plan)}}]}
        case Matches(pattern):
            raise Untranslatable(
                condition.path,
                "mongodb",
                f"its regular expressions are not RE2, and `{pattern}` is more than plain text",
                "let the policy compare with eq, in, or a pattern of plain text between ^ and $",
            )
        case NoneOf():
            raise AssertionError("of columns only")
        case _:
            assert_never(condition.test)


def _number(value: Number) -> Number | None:
    """Returns the value as BSON holds it, or None if nothing in BSON equals it."""
    return value if isinstance(value, float) or value in INT64 else real(value)


def _ordered(op: Ordering, value: Number) -> Any:
    if not isinstance(value, float) and value not in INT64:
        bound = real_bound(op, value)
        if isinstance(bound, bool):
            return bound
        op, value = bound
    compared = {_COMPARES[op]: [_VALUE, {"$literal": value}]}
    # NaN is the least number here.
    return compared if IS_UPWARD[op] else {"$and": [compared, {"$gte": [_VALUE, float("-inf")]}]}


def _substring(text: str, position: str) -> Any:
    found: Any = {"$indexOfBytes": [_VALUE, {"$literal": text}]}
    if position != "end":
        return {"$eq" if position == "start" else "$gte": [found, 0]}
    start = {"$subtract": [{"$strLenBytes": _VALUE}, len(text.encode())]}
    found = {"$indexOfBytes": [_VALUE, {"$literal": text}, start]}
    return {"$cond": [{"$gte": [start, 0]}, {"$eq": [found, start]}, False]}


def _value(condition: JsonCondition) -> Any:
    """Returns the value at the condition's steps, or null. Each step asks for the type: paths look into arrays."""
    value: Any = "$$element" if condition.column is ELEMENT else _member(condition.column, "$$ROOT")
    for step in condition.steps:
        asked, found = ("object", _member(step, "$$at")) if isinstance(step, str) else ("array", _element(step))
        taken = {"$cond": [{"$eq": [{"$type": "$$at"}, asked]}, found, None]}
        value = {"$let": {"vars": {"at": value}, "in": taken}}
    return value


def _member(name: str, of: str) -> Any:
    return {"$getField": {"field": {"$literal": name}, "input": of}}


def _element(index: int) -> Any:
    return {"$arrayElemAt": ["$$at", index]}
