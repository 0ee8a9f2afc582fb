"""The conjunction of two canonical trees is the canonical tree of both conditions together (F6, A1)."""

from hypothesis import given
from hypothesis import strategies as st
from writ.bundles.conditions.trees.canonical import canonical_tree
from writ.bundles.conditions.trees.conjunction import canonical_conjunction
from writ.bundles.conditions.trees.tree import FALSE, TRUE

from tests.support.comparing import filter_holds, rows, rules
from tests.support.filter_trees import check_shape, tree_holds

ENOUGH = 1_000_000


@given(allows=rules, denies=rules, others=rules, refused=rules)
def test_it_is_the_canonical_tree_of_all_rules(allows, denies, others, refused):
    """Byte for byte the tree of one model that says both: each ALLOW of one with each ALLOW of the other."""
    left, right = canonical_tree(allows, denies, ENOUGH), canonical_tree(others, refused, ENOUGH)
    both = [[*one, *other] for one in allows for other in others]
    joined = canonical_conjunction(left, right, ENOUGH)
    assert joined == canonical_tree(both, [*denies, *refused], ENOUGH)
    assert joined == canonical_conjunction(right, left, ENOUGH)


@given(allows=rules, denies=rules, others=rules, refused=rules, some_rows=st.lists(rows, min_size=1, max_size=12))
def test_it_is_true_where_both_are_with_no_steps_too(allows, denies, others, refused, some_rows):
    left, right = canonical_tree(allows, denies), canonical_tree(others, refused)
    for steps in (0, ENOUGH):
        joined = canonical_conjunction(left, right, steps)
        check_shape(joined)
        for row in some_rows:
            expected = filter_holds(allows, denies, row) and filter_holds(others, refused, row)
            assert tree_holds(joined, row.__getitem__) == expected


@given(allows=rules, denies=rules)
def test_constants_and_the_same_tree(allows, denies):
    tree = canonical_tree(allows, denies)
    assert canonical_conjunction(tree, tree) == canonical_conjunction(tree, TRUE) == tree
    assert canonical_conjunction(FALSE, tree) == FALSE
