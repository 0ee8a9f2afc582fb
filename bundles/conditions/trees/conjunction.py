"""The canonical tree of "both trees are true" (rules F6, A1)."""

from .canonical import STEPS, settled, tests_of_elements
from .diagrams import OutOfSteps
from .minimise import Minimiser
from .normalise import normal_and
from .same_meaning import flat
from .tree import Const, FilterTree, leaves
from .tree_diagrams import TreeDiagrams


def canonical_conjunction(left: FilterTree, right: FilterTree, steps: int = STEPS) -> FilterTree:
    """Returns the canonical tree of the rows of which two canonical trees are both true.

    If that takes more than `steps`, it joins the trees as they are.

    >>> from ..operators import Operator
    >>> from .tree import TreeComparison
    >>> low, high = TreeComparison("k", Operator.GTE, 5), TreeComparison("k", Operator.GTE, 9)
    >>> canonical_conjunction(low, high)
    TreeComparison(key='k', op=<Operator.GTE: 'gte'>, value=9)
    """
    if isinstance(left, Const) or isinstance(right, Const) or left == right:
        return normal_and([left, right])
    try:
        both = TreeDiagrams(left, right, steps)
        joined = both.diagrams.conjunction(both.node(left), both.node(right))
        found = Minimiser(both.diagrams).tree(joined)
    except OutOfSteps:
        return normal_and([flat(left), flat(right)])
    return settled(found, tests_of_elements((*leaves(left), *leaves(right))), steps)
