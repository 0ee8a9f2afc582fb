"""Whether OPA's answer to a partial evaluation holds for a resource.

The answer is a list of queries, of which one must hold, and perhaps rules that they refer to. A comparison with an
attribute that the resource lacks does not hold.
"""

from typing import Any

from tests.bench.models import Document

UNKNOWN = ["input", "resource", "properties"]
"""The path of what is unknown."""

_ABSENT = object()


def holds(result: Document, row: Document) -> bool:
    """Returns whether a compiled query holds for a resource with the attributes `row`."""
    rules: dict[str, list[Document]] = {}
    for module in result.get("support", []):
        for rule in module["rules"]:
            rules.setdefault(rule["head"]["name"], []).append(rule)
    return any(_all_hold(query, row, rules) for query in result.get("queries", []))


def _all_hold(body: list[Document], row: Document, rules: dict[str, list[Document]]) -> bool:
    return all(_expression_holds(one, row, rules) != one.get("negated", False) for one in body)


def _expression_holds(expression: Document, row: Document, rules: dict[str, list[Document]]) -> bool:
    terms = expression["terms"]
    if isinstance(terms, list):
        operator, left, right = ".".join(_path(terms[0])), _value(terms[1], row), _value(terms[2], row)
        return _ABSENT not in (left, right) and _compare(operator, left, right)
    if terms["type"] == "ref" and _path(terms)[0] == "data":
        return any(_all_hold(rule["body"], row, rules) for rule in rules[_path(terms)[-1]])
    return _value(terms, row) not in (_ABSENT, False)


def _compare(operator: str, left: Any, right: Any) -> bool:
    match operator:
        case "eq":
            return bool(left == right)
        case "gte":
            return bool(left >= right)
        case "lte":
            return bool(left <= right)
        case "internal.member_2":
            return left in right
    raise AssertionError(f"no comparison: {operator}")


def _value(term: Document, row: Document) -> Any:
    match term:
        case {"type": "ref"}:
            path = _path(term)
            assert path[:-1] == UNKNOWN, path
            return row.get(path[-1], _ABSENT)
        case {"type": "set" | "array", "value": members}:
            return [_value(member, row) for member in members]
        case {"type": "boolean" | "number" | "string", "value": value}:
            return value
    raise AssertionError(f"no value: {term}")


def _path(term: Document) -> list[str]:
    return [part["value"] for part in term["value"]]
