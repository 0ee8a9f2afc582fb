"""A write that nests groups beyond the limit of a bundle is refused, as `writ check` refuses it (P3)."""

import pytest
from writ.api.store.elements.edits import Create, Delete, Patch
from writ.api.store.errors import Rejected
from writ.api.store.writing import Write
from writ.compiler.limits import Limits

from tests.support.stored import ACTOR, ENV, put, stored, write

LENGTH = 10
"""The groups of a chain with as many pairs as the limit."""


@pytest.fixture(autouse=True)
def limit(store):
    store.limits = Limits(group_ancestors=LENGTH * (LENGTH - 1) // 2)


def chain(length):
    """Returns groups, each a member of the next."""
    inner = [[], *([{"group": f"g{number}"}] for number in range(length - 1))]
    return [{"id": f"g{number}", "members": members} for number, members in enumerate(inner)]


def refused(store, *edits):
    before = stored(store)
    with pytest.raises(Rejected) as raised:
        write(store, *edits)
    assert stored(store) == before
    (fault,) = raised.value.faults
    assert fault.code == "too-many-ancestors"
    return fault


def test_a_write_that_nests_too_deeply_is_refused_with_the_diagnostic_of_check(store):
    put(store, {"groups": chain(LENGTH)})
    members = [{"group": f"g{LENGTH - 1}"}]
    fault = refused(store, Create("groups", {"id": "beside"}), Create("groups", {"id": "outer", "members": members}))
    assert (fault.path, fault.edit) == ("$.members", 1)
    assert fault.message == "groups are nested too deeply: more than 45 pairs of a group and a group that contains it"
    assert fault.help == "nest the groups less deeply: a subject can also be a direct member of an outer group"


def test_inner_groups_and_cycles_count_too(store):
    put(store, {"groups": chain(LENGTH)})
    refused(store, Create("groups", {"id": "inner"}), Patch("groups", ("g0",), {"members": [{"group": "inner"}]}))
    refused(store, Patch("groups", ("g0",), {"members": [{"group": "g5"}]}))


def test_what_nests_less_or_nothing_is_written(store):
    put(store, {"groups": chain(LENGTH)})
    write(store, Create("groups", {"id": "other", "members": [{"type": "user", "id": "alice"}]}))
    write(store, Patch("groups", ("g1",), {"members": []}))
    write(store, Create("groups", {"id": "outer", "members": [{"group": f"g{LENGTH - 1}"}]}))
    write(store, Delete("groups", ("outer",)))


def test_many_ways_to_one_group_are_pairs_once(store):
    """Five groups in five others, and these in one: 35 pairs of the 45 allowed.

    There would be 55 if each path counted.
    """
    inner = [{"group": f"g{number}"} for number in range(5)]
    middle = [{"id": f"m{number}", "members": inner} for number in range(5)]
    put(store, {"groups": [*chain(1), *({"id": f"g{number}"} for number in range(1, 5)), *middle]})
    write(store, Create("groups", {"id": "top", "members": [{"group": f"m{number}"} for number in range(5)]}))
    inner.append({"group": "more"})
    refused(
        store,
        Create("groups", {"id": "more"}),
        Create("groups", {"id": "last"}),
        *(Patch("groups", (f"m{number}",), {"members": [*inner, {"group": "last"}]}) for number in range(5)),
    )


def test_a_chain_and_a_cycle_are_as_long_as_the_limit_at_most(store):
    store.limits = Limits()
    put(store, {"groups": chain(64)})
    fault = refused(store, Create("groups", {"id": "outer", "members": [{"group": "g63"}]}))
    assert fault.message == "groups are nested too deeply: 65 in a chain, the limit is 64"
    write(store, Patch("groups", ("g0",), {"members": [{"group": "g63"}]}))
    refused(store, Create("groups", {"id": "outer", "members": [{"group": "g7"}]}))
    write(store, Patch("groups", ("g9",), {"members": []}))


def test_the_depth_is_that_of_the_store(store):
    """For edits, gathered ones too, trials and whole models."""
    store.limits = Limits(group_depth=3)
    put(store, {"groups": chain(3)})
    outer = Create("groups", {"id": "outer", "members": [{"group": "g2"}]})
    assert refused(store, outer).message.endswith("4 in a chain, the limit is 3")
    with pytest.raises(Rejected):
        put(store, {"groups": chain(4)})
    with pytest.raises(Rejected):
        store.try_write(ENV, ACTOR, [outer], 1)
    (failure,) = store.write_gathered([Write(ENV, ACTOR, [outer], limits=store.limits)])
    assert isinstance(failure, Rejected)
    whole = [Create("groups", one) for one in chain(70)]
    store.limits = Limits(group_depth=100)
    put(store, {})
    write(store, *whole)
    put(store, {"groups": chain(100)})
    assert refused(store, Create("groups", {"id": "new", "members": [{"group": "g99"}]}))
