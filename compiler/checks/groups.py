"""Checks that groups are not nested too deeply, and that a bundle can list the ancestors of each (P3)."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from ...bundles.program.closure import TooManyAncestors, ancestors, nesting_depth
from ..diagnostics.diagnostic import Finding
from ..limits import Limits
from .draft import Draft

_FLATTER: Final = "nest the groups less deeply: a subject can also be a direct member of an outer group"


def check_nesting(draft: Draft) -> Iterator[Finding]:
    """Reports groups if a chain of them is longer than the limit, or if all have more ancestors than the limit.

    The ancestors of a group are the groups that contain it, directly or through other groups.
    """
    parents: dict[str, set[str]] = {group.id: set() for group in draft.model.groups}
    for group in draft.model.groups:
        for member in group.members:
            if member.group in parents:
                parents[member.group].add(group.id)
    found = too_many_ancestors(parents, draft.limits)
    if found is not None:
        yield found


def too_many_ancestors(parents: Mapping[str, Collection[str]], limits: Limits) -> Finding | None:
    """Returns a finding if groups are nested too deeply or have too many ancestors, or None.

    `parents` has the direct parents of each group.
    """
    depth = nesting_depth(parents)
    if depth > limits.group_depth:
        message = f"groups are nested too deeply: {depth:,} in a chain, the limit is {limits.group_depth:,}"
        return Finding("too-many-ancestors", message, ("groups",), _FLATTER)
    try:
        ancestors(parents, limits.group_ancestors)
    except TooManyAncestors as ex:
        return Finding("too-many-ancestors", str(ex), ("groups",), _FLATTER)
    return None
