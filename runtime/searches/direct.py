"""Finds the direct grants of one subject on the resources of one type (P4, F3)."""

from collections.abc import Iterator

from ..snapshot import FOREVER, Holder, Snapshot


def granted_ids(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> Iterator[str]:
    """Yields the resources on which a grant in force at `now` covers the action, in order of their ids."""
    for id, expires in _covered(snapshot, holder, type, action):
        if now < expires:
            yield id


def has_grants(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> bool:
    """Whether `granted_ids` has any resource. The holder caches until when it has."""
    cached = cached_has_grants(holder, type, action, now)
    if cached is None:
        until = -FOREVER
        for _, expires in _covered(snapshot, holder, type, action):
            until = max(until, expires)
            if until == FOREVER:
                break
        holder.direct[type, action] = until
        cached = now < until
    return cached


def next_expiry(snapshot: Snapshot, holder: Holder, type: int, action: str, now: float) -> float:
    """Returns the first instant after `now` at which `granted_ids` loses a resource, or infinity."""
    return min((expires for _, expires in _covered(snapshot, holder, type, action) if now < expires), default=FOREVER)


def cached_has_grants(holder: Holder, type: int, action: str, now: float) -> bool | None:
    """Returns the result of `has_grants` if it is cached, or else None."""
    if not holder.grants:
        return False
    until = holder.direct.get((type, action))
    return None if until is None else now < until


def _covered(snapshot: Snapshot, holder: Holder, type: int, action: str) -> Iterator[tuple[str, float]]:
    """Yields the resources on which a grant covers the action, each with the expiry of its last grant."""
    state = snapshot.state
    for id in snapshot.granted(holder, type):
        grants = state.grants(holder.grants, type, id)
        covering = [grant.expires for grant in grants if action in state.action_sets[grant.actions]]
        if covering:
            yield id, max(covering)
