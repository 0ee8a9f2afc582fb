"""Groups are not in more others than a bundle can list (P3)."""

from collections.abc import Iterator

from bundles.closure import TooManyAncestors, ancestors
from compiler.checks.draft import Draft
from compiler.diagnostics import Finding


def check_nesting(draft: Draft) -> Iterator[Finding]:
    """The groups that each group is in, to any depth, can be listed within the limit."""
    parents: dict[str, set[str]] = {group.id: set() for group in draft.model.groups}
    for group in draft.model.groups:
        for member in group.members:
            if member.group in parents:
                parents[member.group].add(group.id)
    try:
        ancestors(parents, draft.limits.group_ancestors)
    except TooManyAncestors as ex:
        help_text = "nest them less deeply: a subject can be a member of an outer group itself"
        yield Finding("too-many-ancestors", str(ex), ("groups",), help_text)
