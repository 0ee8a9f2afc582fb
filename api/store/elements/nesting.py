"""Checks that a write keeps group nesting within the limit of a bundle, at a cost that small writes can pay."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ....bundles.program.closure import TooManyAncestors, ancestors, nesting_depth
from ....compiler.checks.groups import too_many_ancestors
from ....compiler.model.elements import Element, ElementKind, Group
from ..errors import BodyFault
from .workspace import ElementTexts, Workspace

_OUTER = "AND member IN (SELECT group_id FROM group_groups WHERE environment = ?1)"


def nesting_faults(workspace: Workspace, changes: Iterable[ElementTexts]) -> Iterator[BodyFault]:
    """Yields a fault for the last edit that put a group into another, if they are nested too deeply now (P3).

    Removing a group from another is never refused.
    """
    nesting = [change for change in changes if _nests(change)]
    if nesting and _may_be_too_many(workspace):
        found = too_many_ancestors(_parents(workspace), workspace.limits)
        if found is not None:
            yield BodyFault(found.code, "$.members", found.message, found.help, nesting[-1].edit)


def _nests(change: ElementTexts) -> bool:
    return change.kind == ElementKind.GROUPS and bool(_inner(change.element_after()) - _inner(change.element_before()))


def _inner(element: Element | None) -> set[str]:
    members = element.members if isinstance(element, Group) else ()
    return {member.group for member in members if member.group is not None}


def _may_be_too_many(workspace: Workspace) -> bool:
    """Returns whether an upper bound of the depth, or of the (group, ancestor) pairs, is above its limit.

    A group has its parents as ancestors, and their ancestors. PERF: most groups contain no group, and of these only the
    number of their parents is read. The bound is exact if each has one parent.
    """
    parents = _parents(workspace, _OUTER)
    if nesting_depth(parents) + 1 > workspace.limits.group_depth:  # the innermost groups are left out
        return True
    try:
        above = ancestors(parents, workspace.limits.group_ancestors)
    except TooManyAncestors:
        return True
    query = "SELECT group_id, count(*) FROM group_groups WHERE environment = ? GROUP BY group_id"
    counts = workspace.db.execute(query, (workspace.number,))
    pairs: int = sum(count * (1 + len(above.get(group, ()))) for group, count in counts)
    return pairs > workspace.limits.group_ancestors


def _parents(workspace: Workspace, which: str = "") -> dict[str, list[str]]:
    """Returns the direct parents of each group."""
    query = f"SELECT member, group_id FROM group_groups WHERE environment = ?1 {which}"
    parents: dict[str, list[str]] = defaultdict(list)
    for member, group in workspace.db.execute(query, (workspace.number,)):
        parents[member].append(group)
    return dict(parents)
