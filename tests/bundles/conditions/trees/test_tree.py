"""The nodes of a filter tree: equality by C3, negation, constants, and the way to JSON and back."""

from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.conditions.operators import Operator
from writ.bundles.conditions.trees.canonical import canonical_tree
from writ.bundles.conditions.trees.normalise import normal_and, normal_or
from writ.bundles.conditions.trees.tree import (
    FALSE,
    TRUE,
    And,
    Not,
    Or,
    TreeComparison,
    complement,
    fold_and,
    fold_not,
    fold_or,
    leaf_count,
    leaves,
)
from writ.runtime.filters.show_tree import show_tree
from writ.runtime.translate.read_tree import read_tree

from tests.support.comparing import rows, rules
from tests.support.filter_trees import check_shape, tree_holds

A, B = TreeComparison("a", Operator.EQ, 1), TreeComparison("b", Operator.EQ, 2)
trees = st.builds(canonical_tree, rules, rules, st.sampled_from([0, 20_000]))


def test_comparisons_are_equal_if_their_constants_are_the_same():
    """C3: 1 is 1.0 and not true; members of an object have no order."""
    assert TreeComparison("a", Operator.EQ, 1.0) == A
    assert hash(TreeComparison("a", Operator.EQ, 1.0)) == hash(A)
    assert TreeComparison("a", Operator.EQ, {"x": 1, "y": [2]}) == TreeComparison(
        "a", Operator.EQ, {"y": [2.0], "x": 1}
    )
    others = [
        TreeComparison("a", Operator.EQ, True),
        TreeComparison("a", Operator.NE, 1),
        TreeComparison("b", Operator.EQ, 1),
    ]
    assert A not in [*others, Not(A), "a"]


def test_constants_are_folded():
    assert (fold_and([]), fold_or([]), fold_not(TRUE)) == (TRUE, FALSE, FALSE)
    assert (fold_and([A, FALSE]), fold_or([A, TRUE])) == (FALSE, TRUE)
    assert (fold_and([A, TRUE]), fold_or([FALSE, A])) == (A, A)
    assert fold_and([B, And((A, B))]) == And((B, And((A, B))))
    assert fold_not(Not(A)) == Not(Not(A))


def test_joined_trees_are_flat_and_sorted():
    assert normal_and([B, And((A, B)), TRUE]) == And((A, B))
    assert normal_or([Not(A), Or((B, A))]) == Or((A, Not(A), B))
    assert (normal_and([A, FALSE]), normal_or([]), normal_or([B])) == (FALSE, FALSE, B)


def test_leaves_are_counted_and_listed_in_order():
    tree = Or((B, And((A, Not(B))), Not(A)))
    assert [*leaves(tree)] == [B, A, B, A]
    assert (leaf_count(tree), leaf_count(TRUE)) == (4, 0)


@given(tree=trees, row=rows)
def test_a_complement_is_the_negation(tree, row):
    assert tree_holds(complement(tree), row.__getitem__) is not tree_holds(tree, row.__getitem__)
    assert complement(complement(tree)) == tree
    assert leaf_count(complement(tree)) == leaf_count(tree)


@given(tree=trees, row=rows)
def test_a_tree_means_the_same_after_json(tree, row):
    """The JSON may negate several children at once, so the nodes may differ."""
    check_shape(tree)
    assert tree_holds(read_tree(show_tree(tree)), row.__getitem__) is tree_holds(tree, row.__getitem__)
