"""F6: the tree of a condition means what its rules mean, and depends on nothing else."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from writ.bundles.conditions.trees import canonical, domain
from writ.bundles.conditions.trees.canonical import canonical_tree, flat_tree
from writ.bundles.conditions.trees.diagrams import MAX_QUESTIONS, OutOfSteps
from writ.bundles.conditions.trees.minimise import Minimiser
from writ.bundles.conditions.trees.rule_diagram import RuleDiagram
from writ.bundles.conditions.trees.separable import separable_tree
from writ.bundles.conditions.trees.tree import TRUE, leaf_count

from tests.support.comparing import KEYS, comparisons, filter_holds, rows, rules
from tests.support.filter_trees import check_shape, shown, tree_holds

ENOUGH = 1_000_000
LARGEST = 10**4_300 - 1
"""The largest number that a model takes: the next one has too many digits to be written at all."""


@given(allows=rules, denies=rules, some_rows=st.lists(rows, min_size=1, max_size=12))
def test_a_tree_is_true_where_its_rules_are(allows, denies, some_rows):
    """F1, F5, for the canonical tree and for the one that takes no steps."""
    for tree in (canonical_tree(allows, denies), canonical_tree(allows, denies, steps=0)):
        check_shape(tree)
        for row in some_rows:
            assert tree_holds(tree, row.__getitem__) == filter_holds(allows, denies, row)


@st.composite
def rewritten(draw, rules):
    """The same rules said in another way: parted, narrowed beside themselves, in another order."""
    found = [list(rule) for rule in rules]
    for rule in rules:
        key, number = draw(st.sampled_from(KEYS)), draw(st.sampled_from([0, 2, 2**53]))
        said = draw(st.integers(0, 6))
        if said == 0:  # absorbed
            found.append([*rule, draw(comparisons)])
        elif said == 1:  # parted by an attribute, with the rest, which takes both
            found += [[*rule, (key, "lt", number)], [*rule, (key, "gte", number)]]
        elif said == 2:
            found.remove(rule)
            found += [[*rule, (key, "nin", [])]]
            found += [[*rule, (key, "ne", "b")], rule]
        elif rule:
            place = draw(st.integers(0, len(rule) - 1))
            others = [*rule[:place], *rule[place + 1 :]]
            for version in _versions(*rule[place]):
                found.append([*others, *version])
            found.remove(rule) if rule in found else None
    return draw(st.permutations([draw(st.permutations(rule)) for rule in found]))


def _versions(key, op, constant):
    """Comparisons that together say the same, as rules of which one must hold."""
    match op, constant:
        case "eq", int() | float() if not isinstance(constant, bool):
            return [[(key, "gte", constant), (key, "lte", constant)]]
        case "eq", _:
            return [[(key, "in", [constant])]]
        case "ne", _:
            return [[(key, "nin", [constant, constant])]]
        case "in", [_, *_]:
            return [[(key, "eq", item)] for item in constant]
        case "nin", [_, *_]:
            return [[(key, "ne", item) for item in constant]]
        case "gte", _:
            return [[(key, "gt", constant)], [(key, "eq", constant)]]
        case "gt", _:
            return [[(key, "gte", constant), (key, "ne", constant)]]
        case "lt", _:
            return [[(key, "lte", constant), (key, "ne", constant)]]
    return [[(key, op, constant)]]


@given(data=st.data(), allows=rules, denies=rules)
def test_rules_that_mean_the_same_have_the_same_tree(data, allows, denies):
    tree = canonical_tree(allows, denies, ENOUGH)
    said = data.draw(rewritten(allows)), data.draw(rewritten(denies))
    assert shown(canonical_tree(*said, ENOUGH)) == shown(tree)


on_one_key = st.sampled_from(KEYS).flatmap(
    lambda key: st.lists(comparisons.map(lambda comparison: (key, *comparison[1:])), min_size=1, max_size=3)
)


WHOLE = {"has": "eq", "has_any": "in", "has_none": "nin"}
"""The operator on whole values in the place of one on elements, which needs a diagram."""


@given(
    asked=st.tuples(
        st.lists(st.lists(comparisons, max_size=4), min_size=1, max_size=1), st.lists(on_one_key, max_size=3)
    )
    | st.tuples(st.lists(on_one_key, max_size=4), st.just([]))
)
def test_a_separable_tree_is_the_one_that_diagrams_lead_to(asked):
    asked = tuple([[(key, WHOLE.get(op, op), value) for key, op, value in rule] for rule in rules] for rules in asked)
    tree = separable_tree(*asked)
    assume(tree is not None)
    diagram = RuleDiagram(*asked, ENOUGH)
    assert shown(tree) == shown(Minimiser(diagram.diagrams).tree(diagram.node))


@pytest.mark.parametrize(
    ("allows", "denies", "tree"),
    [
        ([], [], "false"),
        ([[]], [], "true"),
        ([[("a", "eq", "x")]], [], "a eq 'x'"),
        ([[("a", "eq", "y")], [("a", "eq", "x")]], [], "a in ['x', 'y']"),
        ([[("a", "eq", 1.0)]], [], "a eq 1"),
        ([[("a", "lt", 5)], [("a", "gte", 5), ("a", "lt", 9)]], [], "a lt 9"),
        ([[("a", "lt", 5), ("a", "gt", 5)]], [], "false"),
        ([[("a", "gt", 1), ("a", "lte", 5), ("a", "ne", 3)]], [], "and(a ne 3, a gt 1, a lte 5)"),
        ([[("a", "nin", [])]], [], "a nin []"),
        ([[]], [[("a", "nin", [])]], "not a nin []"),
        ([[]], [[("a", "eq", "x")]], "not a eq 'x'"),
        ([[("a", "nin", ["x"])]], [], "a ne 'x'"),
        ([[("a", "eq", 1)], [("a", "eq", 1), ("b", "eq", 2)]], [], "a eq 1"),
        ([[("b", "eq", 1)], [("a", "eq", 1)]], [], "or(a eq 1, b eq 1)"),
        ([[("a", "gt", 2**53)]], [], f"a gte {2**53 + 1}"),
        ([[("a", "gt", LARGEST)]], [], f"a gt {LARGEST}"),
        ([[("a", "lt", -LARGEST)]], [], f"a lt {-LARGEST}"),
        ([[("a", "gt", "x"), ("a", "lte", "x\0")]], [], r"a eq 'x\x00'"),
        ([[("a", "regex", "^x")], [("a", "eq", "xy")]], [], "a regex '^x'"),
        ([[("a", "regex", "^x")]], [[("a", "eq", "xy")]], "and(not a eq 'xy', a regex '^x')"),
        ([[("a", "gte", "")]], [], "a gte ''"),
        ([[("a", "lt", 0)], [("a", "gte", 0)]], [], "or(a gte 0, a lt 0)"),
        (
            [[("owner", "eq", 1), ("state", "in", ["x", "y"])], [("state", "eq", "y"), ("team", "eq", 2)]],
            [],
            "or(and(owner eq 1, state in ['x', 'y']), and(state eq 'y', team eq 2))",
        ),
        (
            [[]],
            [[("a", "eq", 1), ("b", "eq", 2)], [("c", "eq", 3), ("d", "eq", 4)]],
            "and(or(not a eq 1, not b eq 2), or(not c eq 3, not d eq 4))",
        ),
    ],
)
def test_what_trees_look_like(allows, denies, tree):
    assert shown(canonical_tree(allows, denies)) == tree


def test_a_thousand_rules_on_one_attribute_are_canonical():
    """The work grows with the rules, not with their pairs."""
    rules = [[("tenant", "eq", f"t{n}"), ("level", "gte", n % 2)] for n in range(400)]
    assert canonical_tree(rules, []) == canonical_tree([list(reversed(rule)) for rule in reversed(rules)], [])
    assert canonical_tree(rules, []) != flat_tree(rules, [])


@pytest.mark.parametrize("steps", [1, 10, 30, 60])
def test_beyond_its_steps_a_tree_is_the_flat_one(steps):
    """F6: right, flat, sorted, absorbed; the steps are counted, so it is the same everywhere."""
    rules = [[(f"k{n}", "eq", n), (f"l{n}", "eq", n)] for n in range(6)]
    with pytest.raises(OutOfSteps):
        RuleDiagram(rules, [], steps)
    assert canonical_tree([*rules, [*rules[0], ("m", "eq", 1)]], [], steps) == flat_tree(rules, [])


def test_conditions_on_too_many_attributes_are_flat():
    """Functions recur from attribute to attribute, so their number is bounded."""
    rule = [(f"k{n}", "eq", n) for n in range(MAX_QUESTIONS + 1)]
    assert canonical_tree([rule], []) == flat_tree([rule], [])


def test_a_flat_tree_has_no_absorbed_branch():
    """Of many rules too, of which all begin alike."""
    rules = [[("a", "eq", 1), ("b", "eq", n)] for n in range(3_000)]
    longer = [[*rule, ("c", "eq", 1)] for rule in rules[::7]]
    assert flat_tree([*rules, *longer], []) == flat_tree(rules, [])
    assert flat_tree([*rules, []], []) == TRUE


def test_absorption_ends_where_it_takes_too_long(monkeypatch):
    """Then the tree is longer than it need be, and true of the same rows."""
    monkeypatch.setattr(canonical, "ABSORPTION_TRIES", 3)
    rules = [[("k", "eq", 1)], [("k", "eq", 1), ("l", "eq", 1)], [("k", "eq", 1), ("m.n", "eq", 1)]]
    tree = flat_tree(rules, [])
    check_shape(tree)
    assert leaf_count(tree) == 5
    for row in ({"k": 1, "l": 1, "m.n": 1}, {"k": 1, "l": 0, "m.n": 0}, {"k": 0, "l": 1, "m.n": 1}):
        assert tree_holds(tree, row.__getitem__) == filter_holds(rules, [], row)


@pytest.mark.parametrize(
    "rules",
    [
        [[("a", "in", [[n] * 10 for n in range(100)])], [("b", "eq", 1), ("c", "eq", 1)]],
        [[("a", "eq", {"x": list(range(1_000))}), ("a", "regex", "x")]],
        [[("a", "regex", f"{n}" + "x" * 200)] for n in range(5)],
        [[("a", "regex", "x"), ("a", "ne", "y" * 100_000)]],
        [[("a", "nin", [])] * 100] * 100,
    ],
    ids=["nested arrays", "an object", "a long pattern", "a long text", "empty lists"],
)
def test_the_steps_count_all_that_is_read(rules):
    """F6: whatever constants are made of, and whatever patterns are held against."""
    with pytest.raises(OutOfSteps):
        RuleDiagram(rules, [], 900)
    assert separable_tree(rules, []) is None


def test_no_more_patterns_are_compiled_than_are_asked_for(monkeypatch):
    compiled = []
    monkeypatch.setattr(domain, "pattern_predicate", compiled.append)
    rules = [[("a", "regex", f"x{n}")] for n in range(MAX_QUESTIONS + 1)]
    assert canonical_tree(rules, []) == flat_tree(rules, [])
    assert compiled == []
