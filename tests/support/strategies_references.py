"""Comparisons with references, in place of some comparisons with constants (X1)."""

from collections.abc import Iterator
from typing import Any

from tests.support.strategies_pick import Pick
from tests.support.strategies_values import KEYS

Row = dict[str, Any]

SECTIONS = ("resource_attrs", "subject_attrs", "action_attrs", "context_attrs")
SOURCES = ("subject", "subject", "action", "context")
OPS = ("eq", "eq", "ne", "gt", "gte", "lt", "lte", "in", "in", "nin")
OPS_OF_ELEMENTS = ("has", "has_any", "has_none")


def refer(pick: Pick, policies: list[Row]) -> bool:
    """Replace some constants by references. Returns whether there is any.

    Half the comparisons of elements stay what they are.
    """
    found = False
    for policy in policies:
        for section in SECTIONS:
            for condition in policy.get("conditions", {}).get(section, []):
                if pick.chance(1, 2):
                    found = True
                    del condition["value"]
                    keeps = condition["op"] in OPS_OF_ELEMENTS and pick.chance(3, 4)
                    op = condition["op"] if keeps else pick.one(OPS)
                    condition |= {"op": op, "value_of": value_of(pick, section)}
    return found


def value_of(pick: Pick, section: str) -> str:
    """A value of another part of the request, or the subject's groups."""
    if pick.chance(1, 5):
        return "subject.groups"
    source = pick.one(tuple(source for source in SOURCES if f"{source}_attrs" != section))
    return f"{source}.{pick.one(KEYS)}"


def without_depth(attributes: Row | None) -> Row | None:
    """The attributes without values that nest many levels."""
    return attributes and {key: "deep" if depth(value) > 20 else value for key, value in attributes.items()}


def depth(value: Any) -> int:
    """The levels of arrays and objects of a value."""
    levels, level = 0, [value]
    while level := [one for part in level if isinstance(part, list | dict) for one in parts(part)]:
        levels += 1
    return levels


def parts(value: Any) -> list[Any]:
    """The elements or the values of members."""
    return [*value.values()] if isinstance(value, dict) else value


def references_of(policy: Row) -> Iterator[tuple[str, Row]]:
    """Each comparison of a policy with a reference, and its section."""
    for section in SECTIONS:
        for condition in policy.get("conditions", {}).get(section, []):
            if condition.get("value_of", "now") != "now":
                yield section, condition
