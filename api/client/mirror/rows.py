"""The rows of direct grants: one for each action of each grant."""

from collections.abc import Iterable, Iterator
from math import isfinite
from typing import Any

from ..runtime.state.held_grants import GrantPlace, Held


def rows_of(held: Iterable[Held], token: str | None) -> Iterator[dict[str, Any]]:
    """Yields the rows of grants, by the columns of `writ.sqlalchemy.grants_table`. `token` names the revision."""
    for place, grants in held:
        for grant in grants:
            times = {
                "starts_at": grant.starts if isfinite(grant.starts) else None,
                "expires_at": grant.expires if isfinite(grant.expires) else None,
            }
            for action in grant.actions:
                yield {"id": grant.id, **place_columns(place), "action": action, **times, "revision": token}


def place_columns(place: GrantPlace) -> dict[str, Any]:
    """Returns the columns that name the holder and the resource."""
    is_group = isinstance(place.holder, str)
    subject_type, subject_id = (None, None) if isinstance(place.holder, str) else place.holder
    return {
        "subject_type": subject_type,
        "subject_id": subject_id,
        "group_id": place.holder if is_group else None,
        "resource_type": place.resource_type,
        "resource_id": place.resource_id,
    }
