"""Operations on diagrams, beside truth tables of three variables."""

from itertools import product
from random import Random

import pytest
from writ.bundles.conditions.operators import Operator
from writ.bundles.conditions.trees.diagrams import FALSE, TRUE, Diagrams, Node
from writ.bundles.conditions.trees.domain import partition

KEYS = "abc"
ROWS = list(product((0, 1), repeat=len(KEYS)))
TABLES = 2 ** len(ROWS)


def diagrams() -> Diagrams:
    """Diagrams with one question for each key, which has two answers."""
    made = Diagrams({key: partition([(Operator.EQ, "x")]) for key in KEYS}, 10**6)
    assert [question.answers for question in made.questions] == [2, 2, 2]
    return made


def node(made: Diagrams, table: int, row: tuple[int, ...] = ()) -> Node:
    """The node of a truth table, which has one bit for each row."""
    if len(row) == len(KEYS):
        return TRUE if table >> ROWS.index(row) & 1 else FALSE
    return made.node(len(row), [node(made, table, (*row, answer)) for answer in (0, 1)])


def keys_of(table: int) -> set[int]:
    """The keys, by number, on which a table depends."""
    return {
        key
        for key in range(len(KEYS))
        for place, row in enumerate(ROWS)
        if not row[key] and (table >> place & 1) != (table >> ROWS.index((*row[:key], 1, *row[key + 1 :])) & 1)
    }


def test_operations_agree_with_truth_tables() -> None:
    """Random pairs of conditions of three variables, some of them twice: then the diagrams remember them."""
    random, made = Random(31), diagrams()
    for left, right in [(random.randrange(TABLES), random.randrange(TABLES)) for _ in range(5_000)]:
        one, other = node(made, left), node(made, right)
        assert made.conjunction(one, other) == node(made, left & right)
        assert made.disjunction(one, other) == node(made, left | right)
        assert made.difference(one, other) == node(made, left & ~right)
        assert made.implies(one, other) == (not left & ~right)


@pytest.mark.parametrize("seed", range(4))
def test_needed_keys_are_those_of_every_condition_between_the_bounds(seed: int) -> None:
    """No condition between two bounds depends on fewer keys. Of one condition, they are all keys."""
    random, made = Random(seed), diagrams()
    for _ in range(200):
        lower = random.randrange(TABLES)
        upper = lower | random.randrange(TABLES) & random.randrange(TABLES)
        between = [table for table in range(TABLES) if not lower & ~table and not table & ~upper]
        found = made.needed_keys(node(made, lower), node(made, upper))
        needed = {key for key in range(len(KEYS)) if found >> made.questions[key].after & 1}
        assert all(needed <= keys_of(table) for table in between)
        assert lower != upper or needed == keys_of(lower)
