"""Counts the registered resources for which a condition can be true."""

from collections.abc import Mapping

from ...bundles.conditions.attribute_keys import read, steps_of
from ...bundles.conditions.comparisons import predicate
from ...bundles.conditions.trees.tree import And, Const, FilterTree, Not, Or, TreeComparison
from ...bundles.conditions.values import Json
from .conditions.variables import GRANT, parts
from .differences.pair_rules import PairRules
from .models.sides import Side


def touched(before: Side, after: Side, rules: PairRules, tree: FilterTree, gains: bool) -> int | None:
    """Returns the number of registered resources that a region touches, or None if a side is a bundle.

    A resource has its registered attributes. What depends on anything else counts as true.
    """
    if not (before.knows_resources and after.knows_resources):
        return None
    side = after if gains else before
    type = side.types.get(rules.pair[0])
    ids = rules.registered[1 if gains else 0]
    if type is None or not _reads_resource(tree):
        return len(ids)
    attributes = side.resource_attributes.get(type.id, {})
    return sum(_may_hold(tree, id, attributes.get(id, {}), type.name) != {False} for id in ids)


def _reads_resource(tree: FilterTree) -> bool:
    match tree:
        case And(children) | Or(children):
            return any(map(_reads_resource, children))
        case Not(child):
            return _reads_resource(child)
        case TreeComparison(key):
            return parts(key)[0] == "resource_attrs"
        case _:
            return False


def _may_hold(tree: FilterTree, id: str, attributes: Mapping[str, Json], type: str) -> set[bool]:
    """Returns the truth values that a condition can have for a resource."""
    match tree:
        case Const(value):
            return {value}
        case Not(child):
            return {not one for one in _may_hold(child, id, attributes, type)}
        case And(children):
            found = [_may_hold(child, id, attributes, type) for child in children]
            return {False} if {False} in found else {True} if all(one == {True} for one in found) else {True, False}
        case Or(children):
            found = [_may_hold(child, id, attributes, type) for child in children]
            return {True} if {True} in found else {False} if all(one == {False} for one in found) else {True, False}
        case TreeComparison(key, op, value):
            named = parts(key)
            if named[0] != "resource_attrs" or key == GRANT:
                return {True, False}
            actual = id if named[1] == "id" else read(attributes, named[1], steps_of(named[1]))
            return {actual is not None and predicate(op, value)(actual)}
    raise AssertionError("a tree has no other nodes")
