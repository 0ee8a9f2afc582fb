"""Derives filters: the remaining conditions as a canonical tree (contract 2.7, rules F1 to F6)."""

from dataclasses import dataclass, field
from typing import Any

from ...bundles.conditions.constants import value_count
from ...bundles.conditions.trees.canonical import STEPS, canonical_tree
from ...bundles.conditions.trees.conjunction import canonical_conjunction
from ...bundles.conditions.trees.rule_diagram import Conjunction
from ...bundles.conditions.trees.tree import FALSE, TRUE, FilterTree, leaf_count, leaves
from ...bundles.program.clauses import Atom
from ..rules.reasons import PATH_RANK, AccessPath, PolicyPath
from .open_gates import note
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
    open_gates: tuple[Atom, ...] = ()
    """The gates by which the evaluation may differ from it."""
    encoded: dict[tuple[bool, bool, tuple[str, ...], float], bytes] = field(default_factory=dict)
    """The responses with it as JSON; see `CachedFilter`."""

    @property
    def size(self) -> int:
        """The memory that it takes, counted in comparisons: its own, its constants, and one for itself."""
        constants = sum(value_count(comparison.value) for comparison in leaves(self.tree))
        return 1 + leaf_count(self.tree) + constants // CONSTANTS_IN_A_COMPARISON


NOTHING = Filter(FALSE, show_tree(FALSE), NONE, ())


def derive(conditions: RemainingRules, direct: Conjunction = (), steps: int = STEPS) -> Filter:
    """Returns the filter of the remaining conditions. `direct`, if it is not empty, is one more ALLOW (F3, F8)."""
    tree = tree_of(conditions, direct, steps)
    if tree == FALSE:
        return NOTHING
    paths = {rule.path for rule in conditions.allows}
    return _described(tree, tuple(path for path in PATH_RANK if path in paths), tuple(conditions.open_gates))


def joint(one: Filter, other: Filter, steps: int = STEPS) -> Filter:
    """Returns the filter of the resources that both filters show, with the access paths of the first (A1)."""
    tree = canonical_conjunction(one.tree, other.tree, steps)
    if tree == FALSE:
        return Filter(tree, show_tree(tree), NONE, one.paths)
    return _described(tree, one.paths, (*one.open_gates, *other.open_gates))


def _described(tree: FilterTree, paths: tuple[PolicyPath, ...], open_gates: tuple[Atom, ...]) -> Filter:
    reason = (EVERY if tree == TRUE else SOME) + note(open_gates)
    return Filter(tree, show_tree(tree), reason, paths, open_gates)


def tree_of(conditions: RemainingRules, direct: Conjunction, steps: int) -> FilterTree:
    """Returns the canonical tree. "All rows" and "no rows" need no derivation (F4)."""
    if conditions.admits_all:
        return TRUE
    if conditions.denies_all or not (conditions.allows or direct):
        return FALSE
    allows = [rule.residual for rule in conditions.allows]
    denies, exceptions = [rule.residual for rule in conditions.denies], [rule.excepted for rule in conditions.denies]
    return canonical_tree([*allows, direct] if direct else allows, denies, steps, exceptions)


def answer(found: Filter, has_direct: bool, included: bool = False) -> dict[str, Any]:
    """Returns the filter response (contract 2.6), which the caller may change.

    `has_direct` says that the subject has direct grants, `included` that they are part of the filter.
    """
    reason = found.reason + (WITHIN if included else BESIDE) if has_direct else found.reason
    paths = map(str, (AccessPath.DIRECT, *found.paths) if has_direct else found.paths)
    return {"filter": copied(found.json), "context": {"reason": reason, "access_paths": [*paths]}}


def copied(json: Any) -> Any:
    """Returns a deep copy of a JSON value. PERF: `copy.deepcopy` takes three times as long."""
    if isinstance(json, dict):
        return {name: copied(member) for name, member in json.items()}
    if isinstance(json, list):
        return [copied(item) for item in json]
    return json
