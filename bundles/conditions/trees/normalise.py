"""The normal shape of filter trees: flat, sorted, each child once, no constants under other nodes (F6)."""

from collections.abc import Iterable

from .tree import And, Const, FilterTree, Or, TreeComparison


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
        for child in tree.children if isinstance(tree, connective) else (tree,):
            if not isinstance(child, Const):
                children[child] = None
            elif child != connective.identity:
                return child
    if len(children) > 1:
        return connective(tuple(sorted(children, key=lambda child: child.rank)))
    return next(iter(children), connective.identity)
