"""All direct grants of a state, and those that differ between two states of one bundle (P4, P7)."""

from collections.abc import Iterator
from typing import NamedTuple

from ...bundles.file.fact_records import GrantRecord, holder_of, read_grants_key
from ...bundles.program.facts import GrantHolder
from .overlay import Overlay, overlay_of
from .state import State


class GrantPlace(NamedTuple):
    """The holder of grants, and the resource that they are on. `resource_type` is the type's id."""

    holder: GrantHolder
    resource_type: str
    resource_id: str


class HeldGrant(NamedTuple):
    """A direct grant with its actions in order, in force from `starts` until `expires`, in epoch seconds."""

    id: str
    actions: tuple[str, ...]
    starts: float
    expires: float


Held = tuple[GrantPlace, tuple[HeldGrant, ...]]


def all_grants(state: State) -> Iterator[Held]:
    """Yields all grants, in force or not, by place, but those on a type that was removed. Raises BundleError."""
    overlay = overlay_of(state)
    for key, grants in overlay.bundle.all_grants():
        place = read_grants_key(key)
        if place not in overlay.changed_grants:
            yield from _shown(overlay, place, grants)
    for place, grants in overlay.changed_grants.items():
        if grants:
            yield from _shown(overlay, place, grants)


def changed_grants(old: State, new: State) -> list[Held] | None:
    """Returns the places whose grants differ, with the new grants, or None if the states are of two bundles."""
    before, after = overlay_of(old), overlay_of(new)
    if before.bundle is not after.bundle or before.types != after.types:
        return None
    changed = [
        (place, grants) for place, grants in after.changed_grants.items() if before.changed_grants.get(place) != grants
    ]
    return [held for place, grants in changed for held in _shown(after, place, grants)]


def _shown(state: Overlay, key: tuple[str, int, str], grants: tuple[GrantRecord, ...]) -> Iterator[Held]:
    prefix, number, resource_id = key
    type = state.types[number]
    if type is not None:
        sets = state.action_sets
        shown = tuple(HeldGrant(one.id, tuple(sorted(sets[one.actions])), one.starts, one.expires) for one in grants)
        yield GrantPlace(holder_of(prefix), type.id, resource_id), shown
