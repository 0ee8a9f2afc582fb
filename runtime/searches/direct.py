"""Finds the direct grants of one subject, and of its groups, on the resources of one type (P4, P7, F3)."""

from collections.abc import Iterator
from heapq import merge
from itertools import chain, groupby
from operator import attrgetter, itemgetter

from ...bundles.conditions.intervals import united
from ...bundles.file.fact_records import GrantRecord
from ..snapshot import FOREVER, GrantsFound, GrantsOf, Holder, Snapshot

_ID = itemgetter(0)


def granted_ids(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> Iterator[str]:
    """Yields the resources on which a grant in force at `now` covers the action, in order of their ids."""
    for id, grants in _covering(snapshot, holder, type, action):
        if any(grant.starts <= now < grant.expires for grant in grants):
            yield id


def has_grants(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> bool:
    """Returns whether `granted_ids` has any resource. The snapshot caches the answer, and when it holds."""
    return any(_has_grants(snapshot, grants, type, action, now) for grants in holder.grants)


def grants_in_force(
    snapshot: Snapshot, holder: Holder, type: int, action: str, now: float
) -> Iterator[tuple[str, str | None]]:
    """Yields the id of each grant in force at `now` that covers the action, and the group that it is for (P7)."""
    for of in holder.grants:
        for _, grants in _covering_of(snapshot, of, type, action):
            for grant in grants:
                if grant.starts <= now < grant.expires:
                    yield grant.id, of.group


def next_change(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> float:
    """Returns the first instant after `now` at which `granted_ids` loses or gains a resource, or infinity."""
    edges = (
        edge
        for _, grants in _covering(snapshot, holder, type, action)
        for span in united((grant.starts, grant.expires) for grant in grants)
        for edge in span
    )
    return min((edge for edge in edges if now < edge), default=FOREVER)


def cached_has_grants(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> bool | None:
    """Returns the result of `has_grants` if it is cached, or else None."""
    if not holder.grants:
        return False
    known = [_cached(snapshot, grants, type, action, now) for grants in holder.grants]
    return True if True in known else None if None in known else False


def _has_grants(snapshot: Snapshot, grants: GrantsOf, type: int, action: str, now: float) -> bool:
    cached = _cached(snapshot, grants, type, action, now)
    if cached is None:
        found = snapshot.covering[grants.prefix, type, action] = _found(snapshot, grants, type, action, now)
        cached = found.any
    return cached


def _cached(snapshot: Snapshot, grants: GrantsOf, type: int, action: str, now: float) -> bool | None:
    found = snapshot.covering.get((grants.prefix, type, action))
    return None if found is None or not found.since <= now < found.until else found.any


def _found(snapshot: Snapshot, grants: GrantsOf, type: int, action: str, now: float) -> GrantsFound:
    """Returns whether a covering grant is in force at `now`, and when that holds: as long as the last one does."""
    since, until = -FOREVER, FOREVER
    lasting: GrantRecord | None = None
    for grant in chain.from_iterable(found for _, found in _covering_of(snapshot, grants, type, action)):
        if now >= grant.expires:
            since = max(since, grant.expires)
        elif now < grant.starts:
            until = min(until, grant.starts)
        else:
            lasting = grant if lasting is None else max(lasting, grant, key=attrgetter("expires"))
            if lasting.expires == FOREVER:
                break
    return GrantsFound(False, since, until) if lasting is None else GrantsFound(True, lasting.starts, lasting.expires)


def _covering(snapshot: Snapshot, holder: Holder, type: int, action: str) -> Iterator[tuple[str, list[GrantRecord]]]:
    """Yields the resources on which a grant covers the action, each with these grants, in force or not, by id."""
    each = [_covering_of(snapshot, grants, type, action) for grants in holder.grants]
    for id, same in groupby(merge(*each, key=_ID), key=_ID):
        yield id, [grant for _, grants in same for grant in grants]


def _covering_of(snapshot: Snapshot, of: GrantsOf, type: int, action: str) -> Iterator[tuple[str, list[GrantRecord]]]:
    """Yields the same for the grants of one holder."""
    state = snapshot.state
    for id in snapshot.granted(of, type):
        grants = state.grants(of.prefix, type, id)
        covering = [grant for grant in grants if action in state.action_sets[grant.actions]]
        if covering:
            yield id, covering
