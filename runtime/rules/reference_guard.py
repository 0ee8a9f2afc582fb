"""Refuses values that a reference reads and that are too large: an array of more than 10,000 elements is a 400 (X1).

It looks at every value that a policy on the subject, type and action refers to, before any condition is tested. So the
answer does not depend on the order of the tests.
"""

from collections.abc import Iterable
from functools import partial
from typing import Final

from ...bundles.conditions.attribute_keys import reads_own_key
from ...bundles.conditions.references import GROUPS, MOST_ELEMENTS, ValueOf
from ...bundles.conditions.values import Json
from ...bundles.event_loop import refuse_on_event_loop
from ..requests.members import Attributes, BadRequest
from .array_elements import QUICK_ELEMENTS
from .attributes import Test
from .foreign_values import path_of
from .memberships import HasGroups
from .references import SMALL, watcher_of

_AT_ONCE: Final = 8
"""PERF: one function looks at so many values. A function for each would cost a call for each."""


def watched_of(values: Iterable[ValueOf]) -> tuple[ValueOf, ...]:
    """Returns the values that may be too large, in the order in which they are examined.

    Ids and types are strings, and a subject has at most 10,000 groups, so they are none of them.
    """
    return tuple(
        value_of
        for value_of in sorted(set(values))
        if value_of != GROUPS and not reads_own_key(value_of.section, value_of.key)
    )


def guard_of(values: Iterable[ValueOf]) -> Test | None:
    """Returns a test that never holds, or None if none of the values may be too large. It raises BadRequest for a value
    that is too large, and TakesLong on an event loop for one that takes long to compare.
    """
    examined = [(one, partial(_examine, path_of(one.section, one.key))) for one in watched_of(values)]
    watchers = [watcher_of(examined[start : start + _AT_ONCE]) for start in range(0, len(examined), _AT_ONCE)]
    if len(watchers) <= 1:
        return watchers[0] if watchers else None

    def refuses(
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
        for watcher in watchers:
            watcher(t, i, s, n, r, a, c, h, now)
        return False

    return refuses


def _examine(path: str, value: Json) -> None:
    """Raises BadRequest for an array that is too long, and TakesLong for a value that takes long to compare."""
    if isinstance(value, list):
        if len(value) > MOST_ELEMENTS:
            raise BadRequest(
                f"a policy refers to this array of {len(value):,} elements, the limit is {MOST_ELEMENTS:,}", path
            )
        if len(value) <= QUICK_ELEMENTS and SMALL.issuperset(map(type, value)):
            return
    refuse_on_event_loop()
