"""Derives filters: the remaining conditions as a canonical tree (contract 2.7, rules F1 to F6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...bundles.conditions.constants import value_count
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.trees.canonical import STEPS, canonical_tree
from ...bundles.conditions.trees.tree import FALSE, TRUE, FilterTree, leaf_count, leaves
from ..rules.reasons import PATH_RANK, AccessPath, PolicyPath
from .left_open import note
from .partial import RemainingRules
from .show_tree import JsonTree, show_tree

CONSTANTS_IN_A_COMPARISON = 10
"""A comparison takes about as much memory as this many constants."""

EVERY, NONE, SOME = (
    "every resource of the type is allowed",
    "no resource of the type is allowed by a policy",
    "resources are allowed where the filter is true",
)
BESIDE = "; direct grants of the subject are not part of it"
WITHIN = "; direct grants of the subject are part of it"


@dataclass(frozen=True, slots=True, eq=False)
class Filter:
    """A filter, derived once and shared. A response gets a copy of `json`; `paths` are the access paths in it."""

    tree: FilterTree
    json: JsonTree
    reason: str
    paths: tuple[PolicyPath, ...]

    @property
    def size(self) -> int:
        """The memory that it takes, counted in comparisons: its own, its constants, and one for itself."""
        constants = sum(value_count(comparison.value) for comparison in leaves(self.tree))
        return 1 + leaf_count(self.tree) + constants // CONSTANTS_IN_A_COMPARISON


NOTHING = Filter(FALSE, show_tree(FALSE), NONE, ())


def derive(conditions: RemainingRules, granted: Sequence[str] = (), steps: int = STEPS) -> Filter:
    """Returns the filter of the remaining conditions. The resources of direct grants are one more ALLOW (F3)."""
    tree = tree_of(conditions, granted, steps)
    if tree == FALSE:
        return NOTHING
    paths = {rule.path for rule in conditions.allows}
    reason = (EVERY if tree == TRUE else SOME) + note(conditions.left_open)
    return Filter(tree, show_tree(tree), reason, tuple(path for path in PATH_RANK if path in paths))


def tree_of(conditions: RemainingRules, granted: Sequence[str], steps: int) -> FilterTree:
    """Returns the canonical tree. "All rows" and "no rows" need no derivation (F4)."""
    if conditions.admits_all:
        return TRUE
    if conditions.denies_all or not (conditions.allows or granted):
        return FALSE
    allows = [rule.residual for rule in conditions.allows]
    direct = [(("id", Operator.IN, list(granted)),)] if granted else []
    return canonical_tree([*allows, *direct], [rule.residual for rule in conditions.denies], steps)


def answer(found: Filter, has_direct: bool, included: bool = False, copies: bool = True) -> dict[str, Any]:
    """Returns the filter response (contract 2.6). `has_direct` says that the subject has direct grants.

    Unless it `copies` the filter, the caller must not change it, since the cache has the same one.
    """
    reason = found.reason + (WITHIN if included else BESIDE) if has_direct else found.reason
    paths = map(str, (AccessPath.DIRECT, *found.paths) if has_direct else found.paths)
    tree = copied(found.json) if copies else found.json
    return {"filter": tree, "context": {"reason": reason, "access_paths": [*paths]}}


def copied(json: Any) -> Any:
    """Returns a deep copy of a JSON value. PERF: `copy.deepcopy` takes three times as long."""
    if isinstance(json, dict):
        return {name: copied(member) for name, member in json.items()}
    if isinstance(json, list):
        return [copied(item) for item in json]
    return json
