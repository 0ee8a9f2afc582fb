"""Tests of one attribute against the instant of the request, such as `resource.embargo_until <= now` (X5)."""

from typing import Final

from ...bundles.conditions.comparisons import ORDERINGS
from ...bundles.conditions.instants import instant_of
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.trees.instant_comparisons import InstantComparison, instant_of_text
from ...bundles.conditions.values import Json
from ...bundles.program.clauses import AgainstNow
from ..requests.members import Attributes
from .attributes import Test, ValueOf, attribute_value
from .foreign_values import plain_at
from .memberships import HasGroups

_plain_time: Final = plain_at("context_attrs", "time")
_AFTER: Final = frozenset({Operator.GTE, Operator.LT})
"""The operators whose result changes directly after the attribute's instant. The others change at it."""


def now_test(atom: AgainstNow, type_name: str, unreadable: bool) -> Test:
    """Returns the test of a comparison with `now`, for resources of the type that requests call `type_name`.

    `unreadable` is its result if the attribute, or the time that the request sent, can't be read: true in a DENY.
    """
    value_of, compare = now_value(atom, type_name), ORDERINGS[atom.op]

    def holds(
        t: str,
        i: str | None,
        s: Attributes,
        n: str | None,
        r: Attributes,
        a: Attributes,
        c: Attributes,
        h: HasGroups,
        now: float,
    ) -> bool:
        value = value_of(t, i, s, n, r, a, c, h, now)
        if value is None:
            return False
        instant, at = instant_of_text(value), instant_of_request(c, now)
        return unreadable if instant is None or at is None else compare(instant, at)

    return holds


def now_value(atom: AgainstNow, type_name: str) -> ValueOf:
    """Returns the reader of the attribute that is compared with `now`."""
    if (atom.section, atom.key) == ("resource_attrs", "type"):
        return lambda *_: type_name
    return attribute_value(atom.section, atom.key)


def instant_of_request(context: Attributes, now: float) -> int | None:
    """Returns the nanoseconds of the request's instant, or None if it can't be read (C8).

    Raises BadRequest for a time that JSON has not (C7).
    """
    sent = context.get("time")
    instant = instant_of(sent, now)
    if instant is None and sent is not None:
        _plain_time(sent)
    return instant


def row_test(comparison: InstantComparison, excepted: bool) -> Test:
    """Returns the test of a row for a node of a filter: whether it is true of the row, or for an exception, is not."""
    value_of = attribute_value("resource_attrs", comparison.key)
    return lambda *asked: comparison.holds(value_of(*asked)) is not excepted


def boundary(atom: AgainstNow, value: Json) -> int | None:
    """Returns the first instant at which the result differs from the one before, in nanoseconds, or None if it never
    does.

    >>> boundary(AgainstNow("resource_attrs", "until", Operator.LT), "1970-01-01T00:00Z")
    1
    """
    instant = instant_of_text(value)
    return None if instant is None else instant + (atom.op in _AFTER)
