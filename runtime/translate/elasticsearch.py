"""A filter as a query of Elasticsearch or OpenSearch, over fields of one value and one type."""

from typing import Any, assert_never

from ...bundles.conditions.operators import Operator, Ordering
from .errors import Untranslatable
from .fields import Decimal, Fields, Real
from .plan import (
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
    Without,
    plan,
)
from .tree import TreeLimits

Query = dict[str, Any]

TARGET = "elasticsearch"
MOST_TERMS = 65_536
"""`index.max_terms_count` where nobody set it."""

MOST_BYTES = 32_766
"""The longest term that Lucene indexes."""

_RANGES: dict[Ordering, str] = {
    Operator.GT: "gt",
    Operator.GTE: "gte",
    Operator.LT: "lt",
    Operator.LTE: "lte",
}


def query(tree: Any, fields: Fields, limits: TreeLimits | None = None) -> Query:
    """The filter as a query without scores, to stand under `query` or in a `bool`'s `filter`.

    A column is a field's path in the index: Text a `keyword` without `normalizer`, `null_value` or `ignore_above`,
    Integer a `long` and Real a `double` with `coerce: false`, Boolean a `boolean`. Documents hold one value in it or
    none: an index can't tell a value from a list of it. Raises BadFilter and Untranslatable.

    >>> from writ.runtime.translate import Text
    >>> tree = {"type": "field", "field": "status", "operator": "ne", "value": "draft"}
    >>> query(tree, {"status": Text("status")})["bool"]["must_not"]
    [{'terms': {'status': ['draft']}}]
    """
    return _query(plan(tree, fields, TARGET, limits))


def _query(plan: Plan) -> Query:
    match plan:
        case bool():
            return {"match_all": {}} if plan else {"match_none": {}}
        case Every(parts):
            return {"bool": {"filter": [_query(part) for part in parts]}}
        case Either(parts):
            return {"bool": {"should": [_query(part) for part in parts], "minimum_should_match": 1}}
        case Without(part):
            return {"bool": {"must_not": [_query(part)]}}
        case Cell():
            return _cell(plan)
        case JsonCell():
            raise _refused(plan, "an index flattens objects and lists", "map the key to Text, Integer, Real or Boolean")
        case _:
            assert_never(plan)


def _cell(cell: Cell) -> Query:
    field = cell.field.column
    if isinstance(cell.field, Decimal):
        raise _refused(cell, "its numbers are integers or doubles", "index a double and map the key to Real")
    match cell.says:
        case Present():
            return {"exists": {"field": field}}
        case OneOf(values):
            return {"terms": {field: _terms(cell, values)}}
        case NoneOf(values):
            exists = {"exists": {"field": field}}
            return {"bool": {"filter": [exists], "must_not": [{"terms": {field: _terms(cell, values)}}]}}
        case Ordered(op, value):
            _check_length(cell, value)
            return {"range": {field: {_RANGES[op]: _bound(op, value) if isinstance(cell.field, Real) else value}}}
        case Holds(text, place):
            _check_length(cell, text)
            if place == "start":
                return {"prefix": {field: {"value": text}}}
            escaped = "".join(f"\\{character}" if character in "*?\\" else character for character in text)
            return {"wildcard": {field: {"value": f"*{escaped}*" if place == "inside" else f"*{escaped}"}}}
        case Matches(pattern):
            raise _refused(
                cell,
                f"its regular expressions are not RE2, and `{pattern}` is more than plain text",
                "let the policy compare with eq, in, or a pattern of plain text between ^ and $",
            )
        case Size() | Keys():
            raise AssertionError("of JSON only")
        case _:
            assert_never(cell.says)


def _terms(cell: Cell, values: tuple[Any, ...]) -> list[Any]:
    if len(values) > MOST_TERMS:
        reason = f"the filter compares with {len(values)} values at once, an index takes {MOST_TERMS}"
        raise _refused(cell, reason, "ask for the results instead of the filter")
    for value in values:
        _check_length(cell, value)
    if isinstance(cell.field, Real) and 0.0 in values:
        return [*(value for value in values if value), 0.0, -0.0]  # two terms in an index, one number
    return list(values)


def _bound(op: Ordering, value: float) -> float:
    """The zero that lies on the right side of the other one: an index orders -0.0 before 0.0."""
    if value:
        return value
    return 0.0 if op in (Operator.GT, Operator.LTE) else -0.0


def _check_length(cell: Cell, value: Any) -> None:
    if isinstance(value, str) and len(value.encode()) > MOST_BYTES:
        raise _refused(cell, f"its terms have {MOST_BYTES} bytes at most", "compare with a shorter string")


def _refused(cell: Cell | JsonCell, reason: str, remedy: str) -> Untranslatable:
    return Untranslatable(cell.path, TARGET, reason, remedy)
