"""Writes a mark for the id of the subject that asks, so that subjects with the same condition are one region."""

from ...bundles.conditions.trees.tree import And, FilterTree, Not, Or, TreeComparison
from .classes import Class
from .conditions.variables import is_attribute
from .differences.pair_rules import PairRules
from .regions import OWN_ID


def with_own_id(rules: PairRules, of: Class, when: FilterTree) -> FilterTree:
    """Returns a condition in which a mark stands for the id of the subject that asks."""
    person = of.one
    if not rules.reads_key or person.is_others or not person.same or rules.is_special(person, of.grants):
        return when
    return _marked(when, person.shown.id)


def _marked(tree: FilterTree, id: str) -> FilterTree:
    match tree:
        case And(children):
            return And(tuple(_marked(child, id) for child in children))
        case Or(children):
            return Or(tuple(_marked(child, id) for child in children))
        case Not(child):
            return Not(_marked(child, id))
        case TreeComparison(key, op, value) if is_attribute(key):
            if isinstance(value, list):
                value = [OWN_ID if one == id and isinstance(one, str) else one for one in value]
                return TreeComparison(key, op, value)
            return TreeComparison(key, op, OWN_ID if isinstance(value, str) and value == id else value)
        case _:
            return tree
