"""Answers `Engine.allowed` for whatever its quick way does not know."""

from typing import Final

from ..rates.rate_table import RateTable
from ..requests.members import Attributes, check_names, check_object
from ..snapshot import Snapshot
from .decide import decide

_PLACES: Final = (("subject", "properties"), ("resource", "properties"), ("action", "properties"), ("context",))
"""The place of each argument with attributes in the request that says the same."""


def allowed_carefully(
    snapshot: Snapshot,
    names: tuple[str, ...],
    attributes: tuple[Attributes, Attributes, Attributes, Attributes],
    now: float,
    counters: RateTable | None,
) -> bool:
    """Returns whether the subject may do the action on the resource, at `now` in epoch seconds.

    `names` are in the order of `Engine.allowed`, and so are `attributes`. Raises what `Engine.allowed` raises.
    """
    check_names(names)
    for one, path in zip(attributes, _PLACES, strict=True):
        check_object(one, *path)
    stype, sid, action, rtype, rid = names
    s, r, a, c = attributes
    return decide(snapshot, (stype, "id", sid, s, action, a, rtype, "id", rid, r, c, False), now, counters).allowed
