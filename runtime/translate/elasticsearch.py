"""A filter as a query of Elasticsearch or OpenSearch, over fields of one type."""

from datetime import datetime
from typing import Any, assert_never

from ...bundles.conditions.operators import Operator, Ordering
from ...bundles.conditions.trees.tree import And, Const, Not, Or
from .column_conditions import (
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
from .column_plan import in_milliseconds
from .errors import Untranslatable
from .fields import Date, DateTime, Decimal, Direct, Fields, Real, Uuid
from .read_tree import ROOT, TreeLimits
from .translation_plan import plan

Query = dict[str, Any]

TARGET = "elasticsearch"
MOST_TERMS = 65_536
"""The default of `index.max_terms_count`."""

MOST_DATES = 1_024
"""The lowest default of `indices.query.bool.max_clause_count`: each date among `terms` is a clause."""

LAST = datetime(9999, 12, 31, 23, 59, 59, 999_000)
"""The last date with a text."""

MOST_DEPTH = 26
"""The default of `indices.query.bool.max_nested_depth` is 30: two for the query around, and two for a condition."""

MOST_BYTES = 32_766
"""The longest term that Lucene indexes."""


_RANGES: dict[Ordering, str] = {
    Operator.GT: "gt",
    Operator.GTE: "gte",
    Operator.LT: "lt",
    Operator.LTE: "lte",
}


def query(tree: Any, fields: Fields, limits: TreeLimits | None = None, *, direct: Direct | None = None) -> Query:
    """Returns the filter as a query without scores, to stand under `query` or in a `bool`'s `filter`.

    A column is a field's path in the index: Text and Enum a `keyword` without `normalizer`, `null_value` or
    `ignore_above`, Integer a `long` and Real a `double` with `coerce: false`, Boolean a `boolean`, DateTime a
    `date` of the default format and of whole milliseconds. Documents hold one value in it or none: an index can't tell
    a value from a list of it. Under Array, they hold a flat list. `direct` returns the query for a node of direct
    grants (F8). Raises BadFilter and Untranslatable.

    >>> from writ.runtime.translate import Text
    >>> tree = {"type": "field", "field": "status", "operator": "ne", "value": "draft"}
    >>> query(tree, {"status": Text("status")})["bool"]["must_not"]
    [{'terms': {'status': ['draft']}}]
    """
    planned = plan(tree, fields, TARGET, limits, direct)
    if (depth := _depth(planned)) > MOST_DEPTH:
        reason = f"its conditions are nested {depth} deep, an index takes {MOST_DEPTH}"
        raise Untranslatable(ROOT, TARGET, reason, "ask for the results instead of the filter")
    return _query(planned)


def _depth(plan: Plan) -> int:
    match plan:
        case And(children) | Or(children):
            return 1 + max(map(_depth, children))
        case Not(child):
            return 1 + _depth(child)
        case _:
            return 0


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
        case DirectCondition(given):
            found: Query = given
            return found
        case ColumnCondition():
            return _column_condition(plan)
        case ArrayCondition(field, values, path) if values:
            return _column_condition(ColumnCondition(field.of(field.column), OneOf(values), path))
        case ArrayCondition():
            remedy = "let the policy ask with `has_any`, plain or in a `not`"
            raise _refused(plan, "an index can't tell an empty list from none", remedy)
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
    if isinstance(condition.field, Date):
        remedy = "index the text of the attribute as a keyword and map it to Text"
        raise _refused(condition, "its dates are instants", remedy)
    if isinstance(condition.field, DateTime):
        return _date_condition(condition, field)
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
        case ArrayLength() | OnlyMembers() | AnyElement():
            raise AssertionError("of JSON only")
        case _:
            assert_never(condition.test)


def _date_condition(condition: ColumnCondition, field: str) -> Query:
    """Returns a test of a date, in texts that have every part: the index would round the others."""
    present: Query = {"range": {field: {"gte": _date(datetime.min), "lte": _date(LAST)}}}
    match in_milliseconds(condition.test):
        case None:
            return {"match_none": {}}
        case OneOf(values):
            return {"bool": {"filter": [present, {"terms": {field: _dates(condition, values)}}]}}
        case NoneOf(values):
            return {"bool": {"filter": [present], "must_not": [{"terms": {field: _dates(condition, values)}}]}}
        case Ordered(op, value):
            return {"bool": {"filter": [present, {"range": {field: {_RANGES[op]: _date(value)}}}]}}
        case _:
            return present


def _dates(condition: ColumnCondition, values: tuple[datetime, ...]) -> list[str]:
    return _terms(condition, tuple(map(_date, values)), MOST_DATES)


def _date(value: datetime) -> str:
    return f"{value.isoformat(timespec='milliseconds')}Z"


def _terms(condition: ColumnCondition, values: tuple[Any, ...], most: int = MOST_TERMS) -> list[Any]:
    found = list(values)
    if isinstance(condition.field, Real) and 0.0 in values:
        found = [*(value for value in values if value), 0.0, -0.0]  # two terms in an index, one number
    if len(found) > most:
        reason = f"the filter compares with {len(found)} values at once, an index takes {most}"
        raise _refused(condition, reason, "ask for the results instead of the filter")
    for value in found:
        _check_length(condition, value)
    return found


def _bound(op: Ordering, value: float) -> float:
    """Returns a bound. For zero, the one on the right side of the other: an index orders -0.0 before 0.0."""
    if value:
        return value
    return 0.0 if op in (Operator.GT, Operator.LTE) else -0.0


def _check_length(condition: ColumnCondition, value: Any) -> None:
    if isinstance(value, str) and len(value.encode()) > MOST_BYTES:
        raise _refused(condition, f"its terms have {MOST_BYTES} bytes at most", "compare with a shorter string")


def _refused(condition: ColumnCondition | ArrayCondition | JsonCondition, reason: str, remedy: str) -> Untranslatable:
    return Untranslatable(condition.path, TARGET, reason, remedy)
