"""Writes a mark for the id of the subject that asks, so that subjects with the same condition are one region."""

from ...bundles.conditions.trees.tree import FilterTree, TreeComparison, with_leaves
from .classes import Class
from .conditions.variables import is_attribute
from .differences.pair_rules import PairRules
from .regions import OWN_ID


def with_own_id(rules: PairRules, of: Class, when: FilterTree) -> FilterTree:
    """Returns a condition in which a mark stands for the id of the subject that asks."""
    person = of.one
    if not rules.reads_key or person.is_others or not person.same or rules.is_special(person, of.grants):
        return when
    return with_leaves(when, lambda leaf: _marked(leaf, person.shown.id))


def _marked(leaf: TreeComparison, id: str) -> TreeComparison:
    if not is_attribute(leaf.key):
        return leaf
    value = leaf.value
    if isinstance(value, list):
        value = [OWN_ID if one == id and isinstance(one, str) else one for one in value]
    elif isinstance(value, str) and value == id:
        value = OWN_ID
    return TreeComparison(leaf.key, leaf.op, value)
