"""F6, held against all values there are: rules that are true of the same rows have the same tree."""

from functools import reduce
from operator import and_, or_
from random import Random

import pytest
from writ.bundles.conditions.neighbours import next_value, previous_value
from writ.bundles.conditions.trees.canonical import canonical_tree, flat_tree
from writ.bundles.conditions.trees.tree import And, Const, Not, Or, TreeComparison

from tests.bundles.conditions.trees.test_canonical import ENOUGH
from tests.support.filter_trees import check_shape, shown
from tests.support.oracle_conditions import compare

NUMBERS = ((), (1, next_value(1)), (2**53 - 1, 2**53 + 1), (-0.0, 5e-324), (1e308, 10**400), (10**4_300 - 1,))
STRINGS = ((), ("", "a"), ("a", "a\0"), ("a", "a\0\0\0"), ("\U0001f600", "\uffff"), ("a", "ax", "aq"))
OTHERS = (True, False, [1], {"a": 1})
ENDS = ("", "x", "q", "qx")
PATTERNS = ("x$", "q")
"""In each gap between the strings above there are strings that match both, either and none."""


class Universe:
    """Rows that stand for all there are, and conditions as the set of those of which they are true, as bits."""

    def __init__(self, keys, numbers, strings):
        self._keys = keys
        around = {near for n in numbers for near in (n, next_value(n), previous_value(n))} | {
            0,
            -(10**4_301),
            10**4_301,
        }
        texts = {s + "\0" * count + end for s in strings for count in range(6) for end in ENDS}
        texts |= {s + end for s in ("", "\0", "ar", "zz", "\U0010ffff") for end in ENDS} | set(strings)
        self._values = [None, {"other": 1}, *OTHERS, *sorted(around), *sorted(texts)]
        self.everything = (1 << len(self._values) ** len(keys)) - 1
        self._known = {}

    def of(self, key, op, constant):
        found = self._known.get((key, op, repr(constant)))
        if found is None:
            count, place = len(self._values), self._keys.index(key)
            holds = [compare(op, value, constant) for value in self._values]
            rows = (row for row in range(count ** len(self._keys)) if holds[row // count**place % count])
            found = self._known[key, op, repr(constant)] = sum(1 << row for row in rows)
        return found

    def of_rule(self, rule):
        found = self.everything
        for comparison in rule:
            found &= self.of(*comparison)
        return found

    def of_rules(self, allows, denies):
        found = 0
        for rule in allows:
            found |= self.of_rule(rule)
        for rule in denies:
            found &= ~self.of_rule(rule)
        return found

    def of_tree(self, tree):
        match tree:
            case Const(value):
                return self.everything if value else 0
            case TreeComparison(key, op, value):
                return self.of(key, op, value)
            case Not(child):
                return self.of_tree(child) ^ self.everything
            case And(children):
                return reduce(and_, map(self.of_tree, children))
            case Or(children):
                return reduce(or_, map(self.of_tree, children))


def some_rules(random, keys, numbers, strings):
    def comparison():
        op = random.choice(["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", *(["regex"] if strings else [])])
        constants = (*numbers, *strings, *(OTHERS if op in ("eq", "ne", "in", "nin") else ()))
        if op in ("in", "nin"):
            constant = random.choices(constants, k=random.choice([0, 1, 2, 3]))
        else:
            constant = random.choice(PATTERNS if op == "regex" else constants or (0,))
        return random.choice(keys), op, constant

    return [
        [comparison() for _ in range(random.choice([0, 1, 1, 2, 3]))] for _ in range(random.choice([0, 1, 1, 2, 3]))
    ]


@pytest.mark.parametrize("keys", [("k",), ("k", "k.l")])
def test_rules_that_are_true_of_the_same_rows_have_the_same_tree(keys):
    for seed in range(12):
        random = Random(seed)
        constants = (random.choice(NUMBERS), random.choice(STRINGS) if len(keys) == 1 else ())
        universe = Universe(keys, *constants)
        trees = {0: "false", universe.everything: "true"}
        for _ in range(100):
            allows, denies = some_rules(random, keys, *constants), some_rules(random, keys, *constants)
            meant, tree = universe.of_rules(allows, denies), canonical_tree(allows, denies, ENOUGH)
            check_shape(tree)
            assert universe.of_tree(tree) == universe.of_tree(flat_tree(allows, denies)) == meant
            assert shown(tree) == trees.setdefault(meant, shown(tree)), (seed, allows, denies)
