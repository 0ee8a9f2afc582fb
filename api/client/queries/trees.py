"""Filters as JSON, changed for rows of one type, and for ids that a key of integers holds."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from ..bundles.conditions.comparisons import predicate
from ..bundles.conditions.operators import Operator

ID_AS_TEXT = " id"
"""The key of an id as a text, beside that as an integer. No key of a model begins with a blank."""

_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_LARGEST = 2**63 - 1
_EQUALITIES: dict[str, Operator] = {
    Operator.EQ: Operator.IN,
    Operator.IN: Operator.IN,
    Operator.NE: Operator.NIN,
    Operator.NIN: Operator.NIN,
}


def keys_of(tree: Any) -> Iterator[str]:
    """Yields the keys that a filter compares."""
    if tree["type"] == "field":
        yield tree["field"]
    for one in tree.get("conditions", ()):
        yield from keys_of(one)


def with_fields(tree: Any, change: Callable[[Any], Any]) -> Any:
    """Returns a filter with another node in place of each comparison."""
    if tree["type"] == "logical":
        return {**tree, "conditions": [with_fields(one, change) for one in tree["conditions"]]}
    return change(tree) if tree["type"] == "field" else tree


def of_type(tree: Any, resource_type: str) -> Any:
    """Returns a filter for rows of one type. The key `type` is the row's own type, never a column (E6)."""

    def decided(node: Any) -> Any:
        if node["field"] != "type":
            return node
        return {"type": "const", "value": predicate(Operator(node["operator"]), node["value"])(resource_type)}

    return with_fields(tree, decided) if "type" in keys_of(tree) else tree


def with_integer_ids(tree: Any) -> Any:
    """Returns a filter that compares the ids as a key of integers holds them.

    An id is a text (E1). `eq "17"` is `eq 17` on the column, so that its index serves. `eq "017"` is true of no row.
    Every other comparison has the key `ID_AS_TEXT`.
    """
    return with_fields(tree, _integer) if "id" in keys_of(tree) else tree


def _integer(node: Any) -> Any:
    if node["field"] != "id":
        return node
    op = _EQUALITIES.get(node["operator"])
    if op is None:
        return {**node, "field": ID_AS_TEXT}
    constants = node["value"] if node["operator"] == op else [node["value"]]
    numbers = (int(one) for one in constants if isinstance(one, str) and _WHOLE_NUMBER.fullmatch(one))
    return {**node, "operator": str(op), "value": [one for one in numbers if -_LARGEST <= one <= _LARGEST]}
