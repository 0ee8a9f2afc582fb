"""Checks that a write keeps the patterns of all policies within their limit, at a cost that small writes can pay."""

from collections import Counter
from collections.abc import Iterable, Iterator

from ....compiler.checks.conditions.pattern_sizes import pattern_sizes, too_many_instructions
from ....compiler.diagnostics.diagnostic import Finding
from ....compiler.limits import DEFAULTS
from ....compiler.model.elements import Element, ElementKind, Policy
from ..errors import BodyFault
from .workspace import ElementTexts, Workspace

_MOST = "SELECT coalesce(sum(instructions), 0) FROM policy_patterns WHERE environment = ?"
"""An upper bound of `_SIZE`, which counts a pattern in each policy. PERF: 2 ms for 10,000 patterns, not 8."""

_SIZE = """SELECT coalesce(sum(instructions), 0) FROM (
    SELECT max(instructions) AS instructions FROM policy_patterns WHERE environment = ? GROUP BY pattern
) AS largest"""
_USES = "SELECT count(*) FROM policy_patterns WHERE environment = ? AND pattern = ?"


def pattern_size_faults(workspace: Workspace, changes: Iterable[ElementTexts]) -> Iterator[BodyFault]:
    """Yields a fault for the last edit that added a pattern, if all patterns are too large together now (C6).

    A write that does not make them larger is never refused, even if a store from before has more than the limit.
    """
    growing, uses, sizes = None, Counter[str](), dict[str, int]()
    for change in changes:
        if change.kind == ElementKind.POLICIES:
            before, after = _sizes(change.element_before()), _sizes(change.element_after())
            uses.update(after.keys())
            uses.subtract(before.keys())
            sizes |= before | after
            growing = change if after.keys() - before.keys() else growing
    if growing is not None and _growth(workspace, uses, sizes) > 0:
        found = _too_many(workspace)
        if found is not None:
            yield BodyFault(found.code, "$.conditions", found.message, found.help, growing.edit)


def _too_many(workspace: Workspace) -> Finding | None:
    """Returns the finding about the patterns that are stored now, or None."""
    found = None
    for query in (_MOST, _SIZE):
        (total,) = workspace.db.execute(query, (workspace.number,)).fetchone()
        found = too_many_instructions(int(total), DEFAULTS)
        if found is None:
            break
    return found


def _growth(workspace: Workspace, uses: Counter[str], sizes: dict[str, int]) -> int:
    """Returns the instructions of the patterns that are new in the model, less those that are gone from it.

    `uses` has the policies that use a pattern now, less those that used it before.
    """
    growth = 0
    for pattern, change in uses.items():
        if change:
            (now,) = workspace.db.execute(_USES, (workspace.number, pattern)).fetchone()
            growth += sizes[pattern] * ((now > 0) - (now > change))
    return growth


def _sizes(element: Element | None) -> dict[str, int]:
    return pattern_sizes(element) if isinstance(element, Policy) else {}
