"""Comparisons of an attribute with an instant, as a variable of a filter beside the attribute's plain one (X5, F6).

In rules and in canonical trees, each is a comparison of a special key with nanoseconds, so that diagrams treat it as
any other attribute: its value is the instant that the attribute's text means, and it is missing if the text means none.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, cast

from ..comparisons import ORDERINGS
from ..instants import parse_instant, show_instant
from ..operators import Operator, Ordering
from ..values import Json
from .tree import FilterTree, TreeComparison, leaves

INSTANT: Final = "instant"
"""The `value_type` of a node that compares instants."""

_MARK: Final = "\0\ud800"
"""The end of the keys that stand for instants: such a key is next to the plain one in the order of keys. A lone
surrogate is no text, so no model has it.
"""

OPPOSITE: Final[dict[Ordering, Ordering]] = {
    Operator.GT: Operator.LTE,
    Operator.GTE: Operator.LT,
    Operator.LT: Operator.GTE,
    Operator.LTE: Operator.GT,
}
"""The operator that holds of two instants exactly if the other one does not."""


@dataclass(frozen=True)
class InstantComparison:
    """An attribute compared with an instant, in nanoseconds. It is false if the attribute is no text of an instant."""

    key: str
    op: Ordering
    instant: int

    @cached_property
    def comparison(self) -> tuple[str, Operator, int]:
        """The comparison that stands for it, as (key, operator, constant)."""
        return self.key + _MARK, self.op, self.instant

    def holds(self, value: Json) -> bool:
        """Returns whether it is true of a value of the attribute.

        >>> one = InstantComparison("until", Operator.LTE, 0)
        >>> one.holds("1970-01-01T01:00+01:00"), one.holds("1970-01-01T00:00:00.1Z"), one.holds(0)
        (True, False, False)
        """
        instant = instant_of_text(value)
        return instant is not None and ORDERINGS[self.op](instant, self.instant)

    def shown(self) -> dict[str, Any]:
        """Returns the node of a filter, as JSON."""
        node = {"type": "field", "field": self.key, "operator": str(self.op), "value": show_instant(self.instant)}
        return {**node, "value_type": INSTANT}


def instant_of_text(value: Json) -> int | None:
    """Returns the nanoseconds that the value of an attribute means, or None if it is no text of an instant (X5).

    >>> instant_of_text("1970-01-01T00:00Z"), instant_of_text(0), instant_of_text("1970-01-01")
    (0, None, None)
    """
    if not isinstance(value, str):
        return None
    try:
        return parse_instant(value)
    except ValueError:
        return None


def is_of_instants(key: str) -> bool:
    """Returns whether a key stands for the instant of an attribute."""
    return key.endswith(_MARK)


def instant_comparison_in(comparison: TreeComparison) -> InstantComparison | None:
    """Returns the comparison of instants that one of a canonical tree stands for, or None if it is a plain one.

    >>> one = InstantComparison("until", Operator.LTE, 5)
    >>> instant_comparison_in(TreeComparison(*one.comparison)) == one
    True
    >>> instant_comparison_in(TreeComparison("status", Operator.EQ, "draft"))
    """
    if not is_of_instants(comparison.key):
        return None
    return InstantComparison(comparison.key.removesuffix(_MARK), cast(Ordering, comparison.op), int(comparison.value))


def compares_with(tree: FilterTree, instant: int) -> bool:
    """Returns whether a tree compares an attribute with this very instant."""
    return any(is_of_instants(leaf.key) and leaf.value == instant for leaf in leaves(tree))
