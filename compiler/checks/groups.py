"""Checks that a bundle can list the ancestors of every group (P3)."""

from collections.abc import Collection, Iterator, Mapping

from ...bundles.program.closure import TooManyAncestors, ancestors
from ..diagnostics.diagnostic import Finding
from ..limits import Limits
from .draft import Draft


def check_nesting(draft: Draft) -> Iterator[Finding]:
    """Reports groups if they have more ancestors, all together, than the limit.

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
    """Returns a finding if groups have too many ancestors, or None. `parents` has the direct parents of each group."""
    try:
        ancestors(parents, limits.group_ancestors)
    except TooManyAncestors as ex:
        help_text = "nest the groups less deeply: a subject can also be a direct member of an outer group"
        return Finding("too-many-ancestors", str(ex), ("groups",), help_text)
    return None
