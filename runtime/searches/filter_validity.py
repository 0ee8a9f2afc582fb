"""The validity of a filter with decided gates (F7)."""

from collections.abc import Callable, Iterator
from typing import Final

from ...bundles.conditions.instants import from_seconds, seconds_not_before
from ...bundles.conditions.trees.instant_comparisons import compares_with
from ...bundles.conditions.trees.tree import FilterTree
from ...bundles.conditions.window_changes import next_change
from ...bundles.conditions.windows import TimeWindow
from ..filters.derive import Filter
from ..requests.members import NO_ATTRIBUTES
from ..requests.searches import ResourceSearch
from ..rules.against_now import boundary, now_value
from ..rules.attributes import NO_CLOCK, Asked
from ..rules.specialise import TypeRules
from ..snapshot import FOREVER, Snapshot
from .direct import next_change as next_change_of_grants
from .searchers import Searcher, derived_for, searcher_at

TRIED_INSTANTS: Final = 32
"""If a filter outlives so many changes of windows, roles and grants, it counts as valid until the last of them."""


def valid_until(
    snapshot: Snapshot,
    search: ResourceSearch,
    rules: TypeRules,
    searcher: Searcher,
    now: float,
    first: FilterTree,
    filter_at: Callable[[Searcher, float], Filter],
) -> float:
    """Returns the first instant after `now` at which the clock gives another filter, or infinity if there is none.

    A filter that compares with the clock's instant is valid until that instant itself (X5). Instants are in epoch
    seconds. `first` is the tree of the filter at `now`, and `filter_at` derives the one for a searcher at an instant.
    """
    at, changes = now, _Changes(snapshot, search, rules)
    if changes.reads_clock and compares_with(first, from_seconds(now)):
        return now
    for _ in range(TRIED_INSTANTS):
        at = changes.after(searcher, at)
        if at == FOREVER:
            break
        searcher = searcher_at(snapshot, searcher, at)
        if filter_at(searcher, at).tree != first:
            break
    return at


class _Changes:
    """The instants at which the filter of a search may change. It remembers when each window changes next."""

    def __init__(self, snapshot: Snapshot, search: ResourceSearch, rules: TypeRules):
        self._snapshot, self._search, self._rules = snapshot, search, rules
        # A window reads the time of the request, if it has one (C8).
        self.reads_clock = (search.context or {}).get("time") is None
        self._next: dict[TimeWindow, float] = {}

    def after(self, searcher: Searcher, now: float) -> float:
        """Returns the first instant after `now` at which a window, a role or a listed grant changes, or infinity."""
        return min(searcher.holder.until, self._next_grant(searcher, now), *self._next_windows(searcher, now))

    def _next_grant(self, searcher: Searcher, now: float) -> float:
        if self._search.options.include_direct is not True:  # a node stays, whatever is granted (F8)
            return FOREVER
        return next_change_of_grants(self._snapshot, searcher.holder, self._rules.number, self._search.action.name, now)

    def _next_windows(self, searcher: Searcher, now: float) -> Iterator[float]:
        if not self.reads_clock:
            return
        search = self._search
        derived, _ = derived_for(self._snapshot, searcher, self._rules, search.action, search.filter_context, now)
        for atom in derived.partial.of_subject:
            instant = boundary(atom, now_value(atom, "")(*_asked(searcher)))
            if instant is not None and (later := seconds_not_before(instant)) > now:
                yield later
        for window in derived.partial.windows:
            known = self._next.get(window, now)
            if known <= now:
                zone = self._snapshot.state.zone(window.timezone)
                edge = next_change(window, zone, from_seconds(now))
                known = self._next[window] = FOREVER if edge is None else seconds_not_before(edge)
            yield known


def _asked(searcher: Searcher) -> Asked:
    """Returns the subject of a search as the arguments of a test."""
    nothing, s = NO_ATTRIBUTES, searcher
    return s.type, s.id, s.attributes, None, nothing, nothing, nothing, s.holder, NO_CLOCK
