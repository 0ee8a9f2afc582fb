"""MongoDB's aggregation expressions as its manual has them, for the operators that filters are translated to.

No MongoDB runs in the tests. What the manual calls an error raises here, so that a translation may not rely on luck;
operators that are not listed are refused.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

MISSING = object()
ORDER = ["missing", "null", "number", "string", "object", "array", "bool", "date"]


@dataclass(frozen=True)
class FarDate:
    """A date beyond the years of Python, in milliseconds since 1970."""

    milliseconds: int


class QueryError(Exception):
    """The error that MongoDB answers instead of documents."""


def matches(query: dict[str, Any], document: dict[str, Any]) -> bool:
    """Returns whether `find` takes the document."""
    assert list(query) == ["$expr"]
    return truth(evaluate(query["$expr"], {"ROOT": document}))


def truth(value: Any) -> bool:
    """All but false, null, 0 and missing are true."""
    return value is not MISSING and value is not None and (isinstance(value, str | list | dict) or bool(value))


def evaluate(expression: Any, scope: dict[str, Any]) -> Any:
    """The value of an expression; `$name` and `$$name.member` are paths, an object with an operator is its call."""
    if isinstance(expression, str) and expression.startswith("$"):
        assert expression.startswith("$$"), "a path of the document would look into arrays"
        name, *members = expression[2:].split(".")
        found = scope[name]
        for member in members:
            assert isinstance(found, dict)
            found = found.get(member, MISSING)
        return found
    if isinstance(expression, list):
        return [None if (item := evaluate(part, scope)) is MISSING else item for part in expression]
    if not isinstance(expression, dict):
        return expression
    ((name, given),) = expression.items()
    if name == "$literal":
        return given
    if name in LAZY:
        return LAZY[name](given, scope)
    arguments = given if isinstance(given, list) else [given]
    return EAGER[name](*(evaluate(argument, scope) for argument in arguments))


def let(given: Any, scope: dict[str, Any]) -> Any:
    return evaluate(given["in"], scope | {name: evaluate(value, scope) for name, value in given["vars"].items()})


def cond(given: Any, scope: dict[str, Any]) -> Any:
    asked, yes, no = given
    return evaluate(yes if truth(evaluate(asked, scope)) else no, scope)


def get_field(given: Any, scope: dict[str, Any]) -> Any:
    """The manual: an error for an input that is neither an object, missing nor null; null for the last two."""
    if list(given["field"]) != ["$literal"] or "\0" in given["field"]["$literal"]:
        raise QueryError("the field of $getField is a constant string")
    found = evaluate(given["input"], scope)
    if found is MISSING or found is None:
        return None
    if not isinstance(found, dict):
        raise QueryError("$getField needs an object")
    return found.get(given["field"]["$literal"], MISSING)


def map_(given: Any, scope: dict[str, Any]) -> Any:
    return [evaluate(given["in"], scope | {given["as"]: item}) for item in evaluate(given["input"], scope)]


def type_(value: Any) -> str:
    """The name that `$type` gives, of integers by their size."""
    if value is MISSING:
        return "missing"
    for kind, name in (
        (datetime, "date"),
        (FarDate, "date"),
        (bool, "bool"),
        (float, "double"),
        (str, "string"),
        (list, "array"),
        (dict, "object"),
    ):
        if isinstance(value, kind):
            return name
    return "null" if value is None else "int" if -(2**31) <= value < 2**31 else "long"


def compare(left: Any, right: Any) -> int:
    """BSON's order: by type first, numbers by value with NaN below, strings and arrays by their parts."""
    ranks = [
        ORDER.index({"int": "number", "long": "number", "double": "number"}.get(type_(v), type_(v)))
        for v in (left, right)
    ]
    if ranks[0] != ranks[1]:
        return ranks[0] - ranks[1]
    if ORDER[ranks[0]] == "number" and (left != left or right != right):
        return (left == left) - (right == right)
    if ORDER[ranks[0]] == "date":
        left, right = milliseconds(left), milliseconds(right)
    if isinstance(left, str):
        left, right = left.encode(), right.encode()
    if isinstance(left, list):
        inner = next((found for pair in zip(left, right, strict=False) if (found := compare(*pair))), 0)
        return inner or len(left) - len(right)
    if isinstance(left, dict):
        return compare(
            [[name, value] for name, value in left.items()], [[name, value] for name, value in right.items()]
        )
    return 0 if left is right is MISSING or left == right else 1 if left > right else -1


def milliseconds(date: datetime | FarDate) -> int:
    """The date as BSON holds it. A driver would cut a finer one off without a word."""
    if isinstance(date, FarDate):
        return date.milliseconds
    whole, rest = divmod(date - datetime(1970, 1, 1, tzinfo=UTC), timedelta(milliseconds=1))
    if rest:
        raise QueryError("a Date has whole milliseconds")
    return whole


def index_of_bytes(text: Any, part: Any, start: int = 0) -> Any:
    if not isinstance(text, str) or not isinstance(part, str) or start < 0:
        raise QueryError("$indexOfBytes needs strings and a start from 0")
    return text.encode().find(part.encode(), start)


def size(value: Any) -> int:
    if not isinstance(value, list):
        raise QueryError("$size needs an array")
    return len(value)


def object_to_array(value: Any) -> Any:
    if not isinstance(value, dict):
        raise QueryError("$objectToArray needs an object")
    return [{"k": name, "v": member} for name, member in value.items()]


def array_element(values: Any, place: int) -> Any:
    if not isinstance(values, list):
        raise QueryError("$arrayElemAt needs an array")
    return values[place] if -len(values) <= place < len(values) else MISSING


def among(value: Any, values: Any) -> bool:
    if not isinstance(values, list):
        raise QueryError("$in needs an array")
    return any(compare(value, item) == 0 for item in values)


LAZY = {"$let": let, "$cond": cond, "$getField": get_field, "$map": map_}
EAGER: dict[str, Any] = {
    "$and": lambda *parts: all(map(truth, parts)),
    "$or": lambda *parts: any(map(truth, parts)),
    "$not": lambda part: not truth(part),
    "$eq": lambda left, right: compare(left, right) == 0,
    "$gt": lambda left, right: compare(left, right) > 0,
    "$gte": lambda left, right: compare(left, right) >= 0,
    "$lt": lambda left, right: compare(left, right) < 0,
    "$lte": lambda left, right: compare(left, right) <= 0,
    "$in": among,
    "$type": type_,
    "$size": size,
    "$anyElementTrue": lambda values: any(map(truth, values)),
    "$arrayElemAt": array_element,
    "$objectToArray": object_to_array,
    "$setIsSubset": lambda left, right: all(among(item, right) for item in left),
    "$indexOfBytes": index_of_bytes,
    "$strLenBytes": lambda text: len(text.encode()),
    "$subtract": lambda left, right: left - right,
}
