"""Filter trees in one shape: flat, sorted, each child once, without constants under other nodes (F6)."""

from collections.abc import Iterable

from .tree import And, Comparison, Const, FilterTree, Or


def normal_and(trees: Iterable[FilterTree]) -> FilterTree:
    """Returns the conjunction of trees that are in this shape.

    >>> from .tree import FALSE, TRUE
    >>> normal_and([TRUE, FALSE])
    Const(value=False)
    """
    return _normal(And, trees)


def normal_or(trees: Iterable[FilterTree]) -> FilterTree:
    """Returns the disjunction of trees that are in this shape."""
    return _normal(Or, trees)


def normalised(tree: FilterTree) -> FilterTree:
    """Returns a tree in this shape. Its negations stand at the leaves already."""
    return _normal(type(tree), map(normalised, tree.children)) if isinstance(tree, And | Or) else tree


def _normal(connective: type[And[Comparison]] | type[Or[Comparison]], trees: Iterable[FilterTree]) -> FilterTree:
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
