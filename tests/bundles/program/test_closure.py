"""The closure of group membership: linear in what it finds, whatever the depth, and bounded (P3)."""

import pytest
from writ.bundles.program.closure import TooManyAncestors, ancestors


def chain(length: int) -> dict[int, list[int]]:
    return {node: [node + 1] for node in range(length)} | {length: []}


def test_a_deep_chain_is_followed_without_recursion():
    found = ancestors(chain(2_000))
    assert found[0] == set(range(1, 2_001))
    assert found[1_999] == {2_000}
    assert found[2_000] == set()


def test_a_long_cycle_reaches_all_of_itself_and_what_is_above():
    size = 2_000
    found = ancestors({node: [(node + 1) % size] for node in range(size)} | {0: [1, "top"], "below": [7], "top": []})
    assert found[5] == found[0] == {*range(size), "top"}
    assert found["below"] == found[7]
    assert found["top"] == set()


def test_every_group_in_every_later_one():
    """As many memberships as pairs: what a nearer group brings is not read again through a farther one."""
    size = 1_500
    found = ancestors({node: list(range(node + 1, size)) for node in range(size)}, max_steps=size * size)
    assert sum(map(len, found.values())) == size * (size - 1) // 2


def test_a_chain_whose_pairs_are_too_many_is_refused_in_one_sentence():
    """Ten thousand groups, one in the other, make fifty million pairs."""
    with pytest.raises(TooManyAncestors, match="nested too deeply: more than 5,000,000 pairs"):
        ancestors(chain(10_000))


def test_the_limit_on_pairs_is_exact():
    assert ancestors(chain(4), max_pairs=10)
    with pytest.raises(TooManyAncestors):
        ancestors(chain(4), max_pairs=9)


def test_a_limit_on_pairs_counts_every_group_of_a_cycle():
    cycle = {node: [(node + 1) % 10] for node in range(10)}
    assert ancestors(cycle, max_pairs=100)
    with pytest.raises(TooManyAncestors):
        ancestors(cycle, max_pairs=99)


def test_layers_that_take_too_many_steps_are_refused_in_one_sentence():
    """Many ways to the same groups: few pairs, but every way is read."""
    width, layers = 40, 6
    below = {(layer, node): layer for layer in range(layers) for node in range(width)}
    groups = {group: [(layer + 1, above) for above in range(width)] for group, layer in below.items()}
    assert ancestors(groups)
    with pytest.raises(TooManyAncestors, match="more than 10,000 steps"):
        ancestors(groups, max_steps=10_000)
