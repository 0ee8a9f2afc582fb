"""A filter as a query of Elasticsearch or OpenSearch, over fields of one value and one type."""

from typing import Any, assert_never

from ...bundles.conditions.operators import Operator, Ordering
from ...bundles.conditions.trees.tree import And, Const, Not, Or
from .column_conditions import (
    ArrayLength,
    ColumnCondition,
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
from .errors import Untranslatable
from .fields import Date, DateTime, Decimal, Fields, Real, Uuid
from .read_tree import TreeLimits
from .translation_plan import plan

Query = dict[str, Any]

TARGET = "elasticsearch"
MOST_TERMS = 65_536
"""The default of `index.max_terms_count`."""

MOST_BYTES = 32_766
"""The longest term that Lucene indexes."""


_RANGES: dict[Ordering, str] = {
    Operator.GT: "gt",
    Operator.GTE: "gte",
    Operator.LT: "lt",
    Operator.LTE: "lte",
}


def query(tree: Any, fields: Fields, limits: TreeLimits | None = None) -> Query:
    """Returns the filter as a query without scores, to stand under `query` or in a `bool`'s `filter`.

    A column is a field's path in the index: Text and Enum a `keyword` without `normalizer`, `null_value` or
    `ignore_above`, Integer a `long` and Real a `double` with `coerce: false`, Boolean a `boolean`. Documents hold one
    value in it or none: an index can't tell a value from a list of it. Raises BadFilter and Untranslatable.

    >>> from writ.runtime.translate import Text
    >>> tree = {"type": "field", "field": "status", "operator": "ne", "value": "draft"}
    >>> query(tree, {"status": Text("status")})["bool"]["must_not"]
    [{'terms': {'status': ['draft']}}]
    """
    return _query(plan(tree, fields, TARGET, limits))


def _query(plan: Plan) -> Query:
    match plan:
        case Const(value):
            return {"match_all": {}} if value else {"match_none": {}}
        case And(children):
            return {"bool": {"filter": [_query(child) for child in children]}}
        case Or(children):
            return {"bool": {"should": [_query(child) for child in children], "minimum_should_match": 1}}
        case Not(child):
            return {"bool": {"must_not": [_query(child)]}}
        case ColumnCondition():
            return _column_condition(plan)
        case JsonCondition():
            raise _refused(plan, "an index flattens objects and lists", "map the key to Text, Integer, Real or Boolean")
        case _:
            assert_never(plan)


def _column_condition(condition: ColumnCondition) -> Query:
    field = condition.field.column
    if isinstance(condition.field, Decimal):
        raise _refused(condition, "its numbers are integers or doubles", "index a double and map the key to Real")
    if isinstance(condition.field, Uuid):
        raise _refused(condition, "it has no fields of UUIDs", "map a keyword of their text to Text")
    if isinstance(condition.field, Date | DateTime):
        raise _refused(
            condition, "its dates are rounded", "index the text of the attribute as a keyword and map it to Text"
        )
    match condition.test:
        case Present():
            return {"exists": {"field": field}}
        case OneOf(values):
            return {"terms": {field: _terms(condition, values)}}
        case NoneOf(values):
            exists = {"exists": {"field": field}}
            return {"bool": {"filter": [exists], "must_not": [{"terms": {field: _terms(condition, values)}}]}}
        case Ordered(op, value):
            _check_length(condition, value)
            return {"range": {field: {_RANGES[op]: _bound(op, value) if isinstance(condition.field, Real) else value}}}
        case Substring(text, position):
            _check_length(condition, text)
            if position == "start":
                return {"prefix": {field: {"value": text}}}
            escaped = "".join(f"\\{character}" if character in "*?\\" else character for character in text)
            return {"wildcard": {field: {"value": f"*{escaped}*" if position == "inside" else f"*{escaped}"}}}
        case Matches(pattern):
            raise _refused(
                condition,
                f"its regular expressions are not RE2, and `{pattern}` is more than plain text",
                "let the policy compare with eq, in, or a pattern of plain text between ^ and $",
            )
        case ArrayLength() | OnlyMembers():
            raise AssertionError("of JSON only")
        case _:
            assert_never(condition.test)


def _terms(condition: ColumnCondition, values: tuple[Any, ...]) -> list[Any]:
    if len(values) > MOST_TERMS:
        reason = f"the filter compares with {len(values)} values at once, an index takes {MOST_TERMS}"
        raise _refused(condition, reason, "ask for the results instead of the filter")
    for value in values:
        _check_length(condition, value)
    if isinstance(condition.field, Real) and 0.0 in values:
        return [*(value for value in values if value), 0.0, -0.0]  # two terms in an index, one number
    return list(values)


def _bound(op: Ordering, value: float) -> float:
    """Returns a bound. For zero, the one on the right side of the other: an index orders -0.0 before 0.0."""
    if value:
        return value
    return 0.0 if op in (Operator.GT, Operator.LTE) else -0.0


def _check_length(condition: ColumnCondition, value: Any) -> None:
    if isinstance(value, str) and len(value.encode()) > MOST_BYTES:
        raise _refused(condition, f"its terms have {MOST_BYTES} bytes at most", "compare with a shorter string")


def _refused(condition: ColumnCondition | JsonCondition, reason: str, remedy: str) -> Untranslatable:
    return Untranslatable(condition.path, TARGET, reason, remedy)
