"""Comparisons with `now`, in place of some comparisons with constants, and texts for their attributes (X5)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from writ.bundles.conditions.values import is_text

from tests.support.strategies_instants import UNREADABLE, near_edge, text
from tests.support.strategies_pick import Pick

Row = dict[str, Any]

SECTIONS = ("resource_attrs", "subject_attrs")
OPS = ("gt", "gte", "lt", "lte")
STORED = tuple(value for value in UNREADABLE if not isinstance(value, str) or is_text(value))
"""Garbage that a model may have: its texts have no lone surrogate."""


def compare_with_now(pick: Pick, document: Row) -> bool:
    """Replace some constants by `now`, and some registered attributes by instants. Returns whether there is any."""
    found = False
    for policy in document["policies"]:
        for section in SECTIONS:
            for condition in policy.get("conditions", {}).get(section, []):
                if "value_of" not in condition and pick.chance(2, 3):
                    found = True
                    del condition["value"]
                    condition |= {"op": pick.one(OPS), "value_of": "now"}
    if found:
        for entity in (*document["subjects"], *document["resources"]):
            for key in entity.get("attributes", {}):
                if pick.chance(2, 3):
                    entity["attributes"][key] = instant_text(pick, STORED)
    return found


def instant_text(pick: Pick, garbage: Sequence[Any] = UNREADABLE) -> Any:
    """A text of an instant near an edge, or now and then garbage."""
    if pick.chance(1, 8):
        return pick.one(garbage)
    return text(pick, Fraction(near_edge(pick)), seconds=pick.chance(1, 2))


def now_comparisons_of(policy: Row) -> Iterator[tuple[str, Row]]:
    """Each comparison of a policy with `now`, and its section."""
    for section in SECTIONS:
        for condition in policy.get("conditions", {}).get(section, []):
            if condition.get("value_of") == "now":
                yield section, condition
