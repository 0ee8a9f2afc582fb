"""F6 and X6: tests of the elements of arrays in canonical trees, joined and in one order."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from writ.bundles.conditions.operators import Operator
from writ.bundles.conditions.trees.canonical import STEPS, canonical_tree, flat_tree, settled
from writ.bundles.conditions.trees.conjunction import canonical_conjunction
from writ.bundles.conditions.trees.same_meaning import same_meaning
from writ.bundles.conditions.trees.tree import FALSE, Not, Or, TreeComparison

from tests.support.filter_trees import check_shape, shown

HAS, ANY, NONE = Operator.HAS, Operator.HAS_ANY, Operator.HAS_NONE
ELEMENTS = ("a", "b", 1, True, [1])


def has(*elements):
    return ("k", ANY, list(elements))


def lacks(*elements):
    return ("k", NONE, list(elements))


X = ("x", Operator.EQ, 1)


@pytest.mark.parametrize(
    ("allows", "denies", "tree"),
    [
        ([[("k", HAS, "a")]], [], "k has_any ['a']"),
        ([[has("b", "a", "b")]], [], "k has_any ['a', 'b']"),
        ([[("k", HAS, 1.0)], [has(1)]], [], "k has_any [1]"),
        ([[("k", HAS, "b")], [has("a")]], [], "k has_any ['a', 'b']"),
        ([[("k", HAS, "b"), X], [has("a"), X]], [], "and(k has_any ['a', 'b'], x eq 1)"),
        ([[lacks("a"), lacks("b")]], [], "k has_none ['a', 'b']"),
        ([[lacks(), lacks("b")]], [], "k has_none ['b']"),
        ([[]], [[has("a")], [has("b")]], "not k has_any ['a', 'b']"),
        ([[X]], [[has("a")], [has("b")]], "and(not k has_any ['a', 'b'], x eq 1)"),
        ([[]], [[lacks("a"), lacks("b")]], "not k has_none ['a', 'b']"),
        ([[has()]], [], "false"),
        ([[has()], [X]], [], "x eq 1"),
        ([[lacks()]], [], "k has_none []"),
        ([[("k", Operator.NIN, [])]], [], "k nin []"),
        ([[has("a"), ("k", Operator.IN, ["a", ["b"], ["c", "a"]])]], [], "k eq ['c', 'a']"),
        ([[has("a")], [("k", Operator.EQ, ["a"])]], [], "k has_any ['a']"),
        ([[has("a"), ("k", Operator.GT, 1)]], [], "false"),
        ([[has("a"), ("k", Operator.REGEX, "^a.*b$")]], [], "false"),
    ],
)
def test_rules_that_mean_the_same_have_one_tree(allows, denies, tree):
    assert shown(canonical_tree(allows, denies)) == tree


def test_a_flat_tree_joins_too():
    assert shown(flat_tree([[("k", HAS, "b")], [has("a")], [has()]], [])) == "k has_any ['a', 'b']"
    assert flat_tree([[has()]], []) == FALSE


def test_a_conjunction_joins_too():
    one, other = (canonical_tree([[lacks(element)]], []) for element in ("a", "b"))
    assert shown(canonical_conjunction(one, other)) == "k has_none ['a', 'b']"


def test_meanings_are_compared_with_what_is_joined():
    one, other = TreeComparison("k", HAS, "a"), TreeComparison("k", ANY, ["b"])
    assert same_meaning(Or((one, other)), TreeComparison("k", ANY, ["b", "a", "a"]))
    assert same_meaning(TreeComparison("k", ANY, []), FALSE)
    assert not same_meaning(Not(one), TreeComparison("k", NONE, ["a"])), "it holds without an array too"
    assert not same_meaning(TreeComparison("k", NONE, []), TreeComparison("k", Operator.NIN, []))


several = st.lists(st.sampled_from(ELEMENTS), min_size=1, max_size=4)


@given(several, st.booleans(), st.randoms())
def test_a_list_is_the_rules_on_its_elements(elements, with_more, random):
    """F6: in any order, with repeats, as `has` or as `has_any`, beside another condition or not."""
    more = [X] if with_more else []
    parts = [*elements, random.choice(elements)]
    random.shuffle(parts)
    singles = [[random.choice([("k", HAS, part), has(part)]), *more] for part in parts]
    assert canonical_tree(singles, []) == canonical_tree([[has(*elements), *more]], [])
    none_of = [[*(lacks(part) for part in parts), *more]]
    assert canonical_tree(none_of, []) == canonical_tree([[lacks(*elements), *more]], [])
    denied = canonical_tree([more], [[has(part)] for part in parts])
    assert denied == canonical_tree([more], [[has(*elements)]])
    check_shape(denied)


COMPARED = st.one_of(
    st.tuples(st.sampled_from("ab"), st.just(ANY), st.lists(st.sampled_from("xyz"), min_size=1, max_size=2)),
    st.tuples(st.sampled_from("ab"), st.just(NONE), st.lists(st.sampled_from("xyz"), max_size=2)),
    st.tuples(st.sampled_from("cd"), st.just(Operator.EQ), st.just(1)),
)
RULES = st.lists(st.lists(COMPARED, min_size=1, max_size=2), max_size=3)


@given(RULES, RULES)
@example(
    [[("a", ANY, ["x"]), ("b", ANY, ["x"])], [("a", ANY, ["z"])], [("b", ANY, ["x", "y"])]],
    [[("a", ANY, ["z"])], [("c", Operator.EQ, 1), ("b", ANY, ["x"])]],
)
def test_a_tree_is_settled(allows, denies):
    """To minimise a tree again changes nothing: a joined test may be one that the rules have already (F6)."""
    tree = canonical_tree(allows, denies)
    assert settled(tree, [("k", ()), ("k", (1,))], STEPS) == tree


def test_what_a_joined_test_absorbs_is_gone():
    rules = [[("b", HAS, "z"), ("a", ANY, ["x"])], [("b", ANY, ["y", "z"])]]
    tree = canonical_tree(rules, [[("c", Operator.EQ, 1), ("d", Operator.EQ, 1)]])
    assert shown(tree).count("b has_any") == 1
