"""Two filter trees are compared by the rows of which they are true, whatever their form (F5, F6)."""

from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.conditions.operators import Operator
from writ.bundles.conditions.trees.canonical import canonical_tree, flat_tree
from writ.bundles.conditions.trees.same_meaning import same_meaning
from writ.bundles.conditions.trees.tree import FALSE, TRUE, And, FilterTree, Not, Or, TreeComparison

from tests.support.comparing import comparisons, rows, rules
from tests.support.filter_trees import tree_holds

ENOUGH = 1_000_000
leaf = comparisons.map(lambda one: TreeComparison(one[0], Operator(one[1]), one[2]))
trees: st.SearchStrategy[FilterTree] = st.recursive(
    st.sampled_from([TRUE, FALSE]) | leaf,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=1, max_size=3).map(lambda some: And(tuple(some))),
        st.lists(inner, min_size=1, max_size=3).map(lambda some: Or(tuple(some))),
    ),
    max_leaves=5,
)


@given(left=trees, right=trees, some_rows=st.lists(rows, min_size=1, max_size=12))
def test_trees_that_differ_on_a_row_differ_in_meaning(left, right, some_rows):
    if same_meaning(left, right, ENOUGH):
        for row in some_rows:
            assert tree_holds(left, row.__getitem__) == tree_holds(right, row.__getitem__)


@given(tree=trees)
def test_a_tree_means_the_same_as_its_other_forms(tree):
    for same in (tree, Not(Not(tree)), And((tree, TRUE)), Or((tree, And((tree, FALSE))))):
        assert same_meaning(tree, same, ENOUGH)
    assert not same_meaning(tree, Not(tree), ENOUGH)


@given(allows=rules, denies=rules)
def test_the_canonical_tree_means_the_same_as_the_flat_one(allows, denies):
    assert same_meaning(canonical_tree(allows, denies, ENOUGH), flat_tree(allows, denies), ENOUGH)


def test_beyond_the_budget_order_and_nesting_do_not_count():
    one, other = (TreeComparison("k", Operator.EQ, value) for value in (1, 2))
    assert same_meaning(And((one, Or((other, one)))), And((Or((one, other)), one)), steps=0)
    assert not same_meaning(Or((one, other)), TreeComparison("k", Operator.IN, [1, 2]), steps=0)
    assert same_meaning(Or((one, other)), TreeComparison("k", Operator.IN, [1, 2]))
