"""A filter as a MongoDB query: one `$expr`, since the query language's own operators look into arrays."""

from typing import Any, assert_never

from ...bundles.conditions.operators import IS_UPWARD, Operator, Ordering
from .errors import Untranslatable
from .fields import Fields
from .numbers import INT64, Number, real, real_bound
from .plan import (
    Cell,
    Either,
    Every,
    Holds,
    JsonCell,
    JsonType,
    Keys,
    Matches,
    NoneOf,
    OneOf,
    Ordered,
    Plan,
    Present,
    Size,
    Without,
    plan,
)
from .tree import TreeLimits

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
"""The types of BSON that are JSON's. A decimal, a date or an id is no JSON value: absent."""

_COMPARES: dict[Ordering, str] = {
    Operator.GT: "$gt",
    Operator.GTE: "$gte",
    Operator.LT: "$lt",
    Operator.LTE: "$lte",
}
_VALUE = "$$writ"


def query(tree: Any, fields: Fields, limits: TreeLimits | None = None) -> Query:
    """The filter as a query document for `find`, `$match` and the like, of MongoDB 5.0.3 or newer.

    A field is `Json(name)`, `Json(name, path)` or `Attributes(name)`, the name one of the document's own. Where the
    collection has a collation, ask with `collation={"locale": "simple"}`: another one folds what differs. Raises
    BadFilter and Untranslatable.

    >>> query({"type": "const", "value": False}, {})
    {'$expr': False}
    """
    return {"$expr": _condition(plan(tree, fields, "mongodb", limits))}


def _condition(plan: Plan) -> Any:
    match plan:
        case bool():
            return plan
        case Every(parts):
            return {"$and": [_condition(part) for part in parts]}
        case Either(parts):
            return {"$or": [_condition(part) for part in parts]}
        case Without(part):
            return {"$not": [_condition(part)]}
        case JsonCell():
            if any("\0" in step for step in plan.steps if isinstance(step, str)):
                raise Untranslatable(
                    plan.path, "mongodb", "no name in its documents holds U+0000", "take it out of the policy"
                )
            typed = {"$in": [{"$type": _VALUE}, _TYPES[plan.type]]}
            # $cond, not $and: the functions of strings and arrays raise for other types.
            holds = {"$cond": [typed, _test(plan), False]}
            return {"$let": {"vars": {"writ": _value(plan)}, "in": holds}}
        case Cell():
            raise Untranslatable(
                plan.path, "mongodb", "its documents hold any type in any field", "map the key to Json or Attributes"
            )
        case _:
            assert_never(plan)


def _test(cell: JsonCell) -> Any:
    """What a value of the cell's type is asked."""
    match cell.says:
        case Present():
            return True
        case OneOf(values) if cell.type == "number":
            numbers = [number for value in values if (number := _number(value)) is not None]
            return {"$in": [_VALUE, {"$literal": numbers}]}
        case OneOf(values):
            return {"$in": [_VALUE, {"$literal": list(values)}]}
        case Ordered(op, value) if cell.type == "number":
            return _ordered(op, value)
        case Ordered(op, value):
            return {_COMPARES[op]: [_VALUE, {"$literal": value}]}
        case Holds(text, place):
            return _holds(text, place)
        case Size(length):
            return {"$eq": [{"$size": _VALUE}, length]}
        case Keys(names):
            members = {"$map": {"input": {"$objectToArray": _VALUE}, "as": "member", "in": "$$member.k"}}
            return {"$setIsSubset": [members, {"$literal": list(names)}]}
        case Matches(pattern):
            raise Untranslatable(
                cell.path,
                "mongodb",
                f"its regular expressions are not RE2, and `{pattern}` is more than plain text",
                "let the policy compare with eq, in, or a pattern of plain text between ^ and $",
            )
        case NoneOf():
            raise AssertionError("of columns only")
        case _:
            assert_never(cell.says)


def _number(value: Number) -> Number | None:
    """The value as BSON can hold it, None where nothing in BSON equals it."""
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


def _holds(text: str, place: str) -> Any:
    found: Any = {"$indexOfBytes": [_VALUE, {"$literal": text}]}
    if place != "end":
        return {"$eq" if place == "start" else "$gte": [found, 0]}
    start = {"$subtract": [{"$strLenBytes": _VALUE}, len(text.encode())]}
    found = {"$indexOfBytes": [_VALUE, {"$literal": text}, start]}
    return {"$cond": [{"$gte": [start, 0]}, {"$eq": [found, start]}, False]}


def _value(cell: JsonCell) -> Any:
    """The value at the cell's steps, or null; each step asks for the type first, since paths look into arrays."""
    value: Any = _member(cell.column, "$$ROOT")
    for step in cell.steps:
        asked, found = ("object", _member(step, "$$at")) if isinstance(step, str) else ("array", _element(step))
        taken = {"$cond": [{"$eq": [{"$type": "$$at"}, asked]}, found, None]}
        value = {"$let": {"vars": {"at": value}, "in": taken}}
    return value


def _member(name: str, of: str) -> Any:
    return {"$getField": {"field": {"$literal": name}, "input": of}}


def _element(place: int) -> Any:
    return {"$arrayElemAt": ["$$at", place]}
