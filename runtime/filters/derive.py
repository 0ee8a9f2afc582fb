"""Filters: what is left of the rules as a tree, worked out once for each outcome (contract 2.7, rules F1 to F6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...bundles.conditions.operators import Operator
from ...bundles.conditions.trees.canonical import STEPS, canonical_form
from ...bundles.conditions.trees.tree import FALSE, TRUE, Form
from ..rules.reasons import PATH_RANK, AccessPath, PolicyPath
from .nodes import Tree, tree_of
from .partial import Conditions

CONSTANTS_IN_A_PART = 10
"""A comparison takes about as much memory as so many constants."""

EVERY, NONE, SOME = (
    "every resource of the type is allowed",
    "no resource of the type is allowed by a policy",
    "resources are allowed where the filter is true",
)
OPEN = "; conditions on the context, times and addresses are left to the evaluation"
BESIDE = "; direct grants of the subject are not part of it"
WITHIN = "; direct grants of the subject are part of it"


@dataclass(frozen=True, slots=True, eq=False)
class Filter:
    """A filter, made once and shared: who gives the tree out copies it. `paths` are those that contribute."""

    form: Form
    tree: Tree
    reason: str
    paths: tuple[PolicyPath, ...]

    @property
    def size(self) -> int:
        """How much memory it takes, in comparisons: those that it has, what they compare with, and one for itself."""
        return 1 + self.form.size + self.form.constants // CONSTANTS_IN_A_PART


NOTHING = Filter(FALSE, tree_of(FALSE), NONE, ())


def derive(conditions: Conditions, granted: Sequence[str] = (), steps: int = STEPS) -> Filter:
    """The filter of what is left of the rules, with the resources of some direct grants as one more ALLOW (F3)."""
    form = form_of(conditions, granted, steps)
    if form == FALSE:
        return NOTHING
    paths = {rule.path for rule in conditions.allows}
    reason = (EVERY if form == TRUE else SOME) + (OPEN if conditions.left_open else "")
    return Filter(form, tree_of(form), reason, tuple(path for path in PATH_RANK if path in paths))


def form_of(conditions: Conditions, granted: Sequence[str], steps: int) -> Form:
    """The canonical form. All rows and no rows are told at once (F4)."""
    if conditions.admits_all:
        return TRUE
    if conditions.denies_all or not (conditions.allows or granted):
        return FALSE
    allows = [rule.residual for rule in conditions.allows]
    direct = [(("id", Operator.IN, list(granted)),)] if granted else []
    return canonical_form([*allows, *direct], [rule.residual for rule in conditions.denies], steps)


def answer(found: Filter, has_direct: bool, included: bool = False) -> dict[str, Any]:
    """The filter response (contract 2.6), its caller's own. `has_direct` says that the subject has direct grants."""
    reason = found.reason + (WITHIN if included else BESIDE) if has_direct else found.reason
    paths = map(str, (AccessPath.DIRECT, *found.paths) if has_direct else found.paths)
    return {"filter": copied(found.tree), "context": {"reason": reason, "access_paths": [*paths]}}


def copied(tree: Any) -> Any:
    """A tree of its own, constants included."""
    if isinstance(tree, dict):
        return {name: copied(member) for name, member in tree.items()}
    if isinstance(tree, list):
        return [copied(item) for item in tree]
    return tree
