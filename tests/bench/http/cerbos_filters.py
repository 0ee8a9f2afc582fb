"""Whether Cerbos's answer to a query plan holds for a resource.

A comparison with an attribute that the resource lacks does not hold.
"""

from typing import Any

from tests.bench.models import Document

UNKNOWN = "request.resource.attr."
"""Where the names of attributes begin."""

_ABSENT = object()


def holds(plan: Document, row: Document) -> bool:
    """Returns whether the filter of a plan holds for a resource with the attributes `row`."""
    if plan["kind"] == "KIND_CONDITIONAL":
        return _condition_holds(plan["condition"], row)
    return bool(plan["kind"] == "KIND_ALWAYS_ALLOWED")


def _condition_holds(operand: Document, row: Document) -> bool:
    if "expression" not in operand:
        return _value(operand, row) is True
    operator, operands = operand["expression"]["operator"], operand["expression"]["operands"]
    match operator:
        case "and":
            return all(_condition_holds(one, row) for one in operands)
        case "or":
            return any(_condition_holds(one, row) for one in operands)
        case "not":
            return not _condition_holds(operands[0], row)
    left, right = (_value(one, row) for one in operands)
    return _ABSENT not in (left, right) and _compare(operator, left, right)


def _compare(operator: str, left: Any, right: Any) -> bool:
    match operator:
        case "eq":
            return bool(left == right)
        case "ge":
            return bool(left >= right)
        case "in":
            return left in right
    raise AssertionError(f"no comparison: {operator}")


def _value(operand: Document, row: Document) -> Any:
    if "variable" in operand:
        return row.get(operand["variable"].removeprefix(UNKNOWN), _ABSENT)
    return operand["value"]
