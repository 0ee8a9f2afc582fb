"""Finds the direct grants of one subject on the resources of one type (P4, F3)."""

from collections.abc import Iterator
from itertools import chain
from operator import attrgetter

from ...bundles.file.fact_records import GrantRecord
from ...bundles.program.intervals import united
from ..snapshot import FOREVER, GrantsFound, Holder, Snapshot


def granted_ids(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> Iterator[str]:
    """Yields the resources on which a grant in force at `now` covers the action, in order of their ids."""
    for id, grants in _covering(snapshot, holder, type, action):
        if any(grant.starts <= now < grant.expires for grant in grants):
            yield id


def has_grants(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> bool:
    """Returns whether `granted_ids` has any resource. The holder caches the answer, and when it holds."""
    cached = cached_has_grants(holder, type, action, now)
    if cached is None:
        found = _found(snapshot, holder, type, action, now)
        holder.direct[type, action] = found
        cached = found.any
    return cached


def next_change(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> float:
    """Returns the first instant after `now` at which `granted_ids` loses or gains a resource, or infinity."""
    edges = (
        edge
        for _, grants in _covering(snapshot, holder, type, action)
        for span in united((grant.starts, grant.expires) for grant in grants)
        for edge in span
    )
    return min((edge for edge in edges if now < edge), default=FOREVER)


def cached_has_grants(holder: Holder, type: int, action: str, now: float) -> bool | None:
    """Returns the result of `has_grants` if it is cached, or else None."""
    if not holder.grants:
        return False
    found = holder.direct.get((type, action))
    return None if found is None or not found.since <= now < found.until else found.any


def _found(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> GrantsFound:
    """Returns whether a covering grant is in force at `now`, and when that holds: as long as the last one does."""
    since, until = -FOREVER, FOREVER
    lasting: GrantRecord | None = None
    for grant in chain.from_iterable(grants for _, grants in _covering(snapshot, holder, type, action)):
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
    """Yields the resources on which a grant covers the action, each with these grants, in force or not."""
    state = snapshot.state
    for id in snapshot.granted(holder, type):
        grants = state.grants(holder.grants, type, id)
        covering = [grant for grant in grants if action in state.action_sets[grant.actions]]
        if covering:
            yield id, covering
