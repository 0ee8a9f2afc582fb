"""The normal shape of filter trees: flat, sorted, each child once, no constants under other nodes (F6)."""

from collections.abc import Iterable

from ..constants import canonical_list
from ..operators import OF_ELEMENTS, Operator
from ..values import Json
from .tree import FALSE, TRUE, And, Const, FilterTree, Not, Or, TreeComparison


def normal_and(trees: Iterable[FilterTree]) -> FilterTree:
    """Returns the conjunction of trees in the normal shape.

    >>> from .tree import FALSE, TRUE
    >>> normal_and([TRUE, FALSE])
    Const(value=False)
    """
    return _normal(And, trees)


def normal_or(trees: Iterable[FilterTree]) -> FilterTree:
    """Returns the disjunction of trees in the normal shape."""
    return _normal(Or, trees)


def normalised(tree: FilterTree) -> FilterTree:
    """Returns a tree in the normal shape. Negations must already be at the leaves."""
    return _normal(type(tree), map(normalised, tree.children)) if isinstance(tree, And | Or) else tree


def _normal(
    connective: type[And[TreeComparison]] | type[Or[TreeComparison]], trees: Iterable[FilterTree]
) -> FilterTree:
    children: dict[FilterTree, None] = {}
    for tree in trees:
        for child in tree.children if isinstance(tree, connective) else (_folded(tree),):
            if not isinstance(child, Const):
                children[child] = None
            elif child != connective.identity:
                return child
    if any(map(_is_of_elements, children)):
        children = _with_joined_elements(connective is And, children)
    if len(children) > 1:
        return connective(tuple(sorted(children, key=lambda child: child.rank)))
    return next(iter(children), connective.identity)


def _folded(tree: FilterTree) -> FilterTree:
    """Returns a leaf, or its negation, as a constant if it is one: no array has any of no elements (X6)."""
    leaf = tree.child if isinstance(tree, Not) else tree
    if isinstance(leaf, TreeComparison) and leaf.op is Operator.HAS_ANY and not leaf.value:
        return TRUE if isinstance(tree, Not) else FALSE
    return tree


def _is_of_elements(tree: FilterTree) -> bool:
    leaf = tree.child if isinstance(tree, Not) else tree
    return isinstance(leaf, TreeComparison) and OF_ELEMENTS[leaf.op]


def _with_joined_elements(conjunctive: bool, children: Iterable[FilterTree]) -> dict[FilterTree, None]:
    """Returns children with the tests of elements joined: `has_any` under OR, `has_none` under AND (F6).

    The negation of one joins where the other does: not to have `a` and not to have `b` is not to have any of both.
    """
    joined: dict[tuple[str, bool], list[Json]] = {}
    others: dict[FilterTree, None] = {}
    for child in children:
        negated = isinstance(child, Not)
        leaf = child.child if isinstance(child, Not) else child
        op = Operator.HAS_NONE if conjunctive != negated else Operator.HAS_ANY
        if isinstance(leaf, TreeComparison) and leaf.op is op:
            joined.setdefault((leaf.key, negated), []).extend(leaf.value)
        else:
            others[child] = None
    for (key, negated), elements in joined.items():
        op = Operator.HAS_NONE if conjunctive != negated else Operator.HAS_ANY
        found = TreeComparison(key, op, canonical_list(elements))
        others[Not(found) if negated else found] = None
    return others
