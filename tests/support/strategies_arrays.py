"""Comparisons with the elements of arrays, in place of some other comparisons (X6)."""

from typing import Any

from tests.support.strategies_pick import Pick
from tests.support.strategies_references import OPS_OF_ELEMENTS, SECTIONS
from tests.support.strategies_values import GROUPS, LOOK_ALIKES, TEXTS, constant

Row = dict[str, Any]

ELEMENTS = (*LOOK_ALIKES, *TEXTS[:4], *GROUPS)


def of_elements(pick: Pick, policies: list[Row]) -> bool:
    """Replace some comparisons by comparisons of elements. Returns whether there is any."""
    found = False
    for policy in policies:
        for section in SECTIONS:
            for condition in policy.get("conditions", {}).get(section, []):
                if pick.chance(1, 2):
                    found = True
                    op = pick.one(OPS_OF_ELEMENTS)
                    one = element(pick)
                    several = [one, *(element(pick) for _ in range(pick.one((0, 1, 2))))]
                    condition |= {"op": op, "value": one if op == "has" else several if pick.chance(7, 8) else []}
    return found


def element(pick: Pick) -> Any:
    """A constant that an array may have as an element."""
    return pick.one(ELEMENTS) if pick.chance(7, 8) else constant(pick)


def array_near(pick: Pick, condition: Row) -> Any:
    """An array that may have an element of the constant, or something that looks like it."""
    wanted = condition["value"] if condition["op"] != "has" else [condition["value"]]
    some = pick.one(wanted) if wanted and pick.chance(2, 3) else element(pick)
    others = [element(pick) if pick.chance(5, 6) else None for _ in range(pick.one((0, 1, 2)))]
    return pick.one(([some, *others], [*others, some], [*others, some], [*others], [[some]], some))
