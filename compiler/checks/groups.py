"""Groups are not in more others than a bundle can list (P3)."""

from collections.abc import Collection, Iterator, Mapping

from ...bundles.program.closure import TooManyAncestors, ancestors
from ..diagnostics.diagnostic import Finding
from ..limits import Limits
from .draft import Draft


def check_nesting(draft: Draft) -> Iterator[Finding]:
    """The groups that each group is in, to any depth, can be listed within the limit."""
    parents: dict[str, set[str]] = {group.id: set() for group in draft.model.groups}
    for group in draft.model.groups:
        for member in group.members:
            if member.group in parents:
                parents[member.group].add(group.id)
    found = too_many_ancestors(parents, draft.limits)
    if found is not None:
        yield found


def too_many_ancestors(parents: Mapping[str, Collection[str]], limits: Limits) -> Finding | None:
    """What is wrong with groups, given by those that each is directly in; None where they can be listed."""
    try:
        ancestors(parents, limits.group_ancestors)
    except TooManyAncestors as ex:
        help_text = "nest them less deeply: a subject can be a member of an outer group itself"
        return Finding("too-many-ancestors", str(ex), ("groups",), help_text)
    return None
