"""The law of the undo: a revision that is undone at once leaves the model as it was, whatever it changed."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from writ.api.store.elements.edits import ChangeMember, Create, Delete, Patch, Put
from writ.api.store.errors import Conflict, NotFound, PreconditionFailed
from writ.api.store.history.undone_change import ChosenChange
from writ.api.store.store import Store
from writ.compiler.model.elements import ElementKind

from tests.support.stored import ACTOR, ENV, put, random_edits, stored, try_write, write
from tests.support.strategies import document
from tests.support.strategies_pick import Pick

Document = dict[str, Any]

SEEDS = st.integers(0, 2**40)
_LAW = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
_SILENCED = {"code": "unused-role", "reason": "a template"}


def in_order(model: Document) -> Document:
    """The model with its lists in one order, but for the routes, whose order has a meaning."""
    return {
        name: part if name == "routes" or not isinstance(part, list) else sorted(part, key=repr)
        for name, part in model.items()
        if part not in ([], None)
    }


def undo(store: Store, revision: int, *chosen: ChosenChange) -> None:
    plan = store.history.undo(ENV, revision, chosen or None).plan
    assert not plan.conflicts
    store.write(ENV, ACTOR, plan.edits)


@_LAW
@given(SEEDS)
def test_an_undone_write_leaves_the_model_as_it_was(store: Store, seed: int) -> None:
    """Edits of every kind: terms, members, deletions with cascade, single members, places of routes."""
    pick = Pick.seeded(seed)
    put(store, document(pick))
    for _ in range(4):
        revision, before = store.revision_of(ENV), stored(store)
        if try_write(store, random_edits(pick, before, document(pick))) and store.revision_of(ENV) > revision:
            undo(store, revision + 1)
            assert in_order(stored(store)) == in_order(before)


@_LAW
@given(SEEDS)
def test_an_undone_replacement_leaves_the_model_as_it_was(store: Store, seed: int) -> None:
    """A whole model in place of another, with silenced lints, is undone too."""
    pick = Pick.seeded(seed)
    put(store, document(pick))
    revision, before = store.revision_of(ENV), stored(store)
    put(store, document(pick) | ({"lints": [_SILENCED]} if pick.chance(1, 2) else {}))
    if store.revision_of(ENV) > revision:
        undo(store, revision + 1)
        assert in_order(stored(store)) == in_order(before)


MODEL = {
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "roles": [{"id": "editor"}, {"id": "reader"}],
    "groups": [{"id": "staff", "members": [{"type": "user", "id": "ann"}]}],
    "assignments": [{"id": "a", "role": "editor", "group": "staff"}],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "roles": ["editor", "reader"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        }
    ],
}
STAFF = ElementKind.GROUPS, ("staff",)


@pytest.fixture
def modelled(store: Store) -> Store:
    put(store, MODEL)
    return store


def members(store: Store) -> list[str]:
    return [one["id"] for one in store.get(ENV, "groups", ("staff",)).body["members"]]


def test_a_deletion_with_cascade_comes_back_whole(modelled: Store) -> None:
    before = stored(modelled)
    write(modelled, Delete("roles", ("editor",), cascade=True))
    assert not stored(modelled)["assignments"]
    undo(modelled, 2)
    assert in_order(stored(modelled)) == in_order(before)


def test_a_member_goes_while_later_members_stay(modelled: Store) -> None:
    write(modelled, ChangeMember("staff", {"type": "user", "id": "bob"}, True))
    write(modelled, ChangeMember("staff", {"type": "user", "id": "cy"}, True))
    undo(modelled, 2)
    assert members(modelled) == ["ann", "cy"]
    write(modelled, ChangeMember("staff", {"type": "user", "id": "ann"}, False))
    write(modelled, ChangeMember("staff", {"type": "user", "id": "di"}, True))
    undo(modelled, 5)
    assert sorted(members(modelled)) == ["ann", "cy", "di"]


def test_a_later_change_of_the_same_element_is_a_conflict_that_names_it(modelled: Store) -> None:
    write(modelled, Patch("policies", ("p",), {"name": "First"}))
    write(modelled, Patch("policies", ("p",), {"name": "Second"}))
    (found,) = modelled.history.undo(ENV, 2, None).plan.conflicts
    assert (found.kind, found.id, found.version, found.revision, found.by) == ("policies", "p", 3, 3, ACTOR.name)
    assert found.stored is not None
    assert found.stored["name"] == "Second"
    assert found.wanted is not None
    assert "name" not in found.wanted
    undo(modelled, 2, ChosenChange(ElementKind.POLICIES, ("p",), seen=3))
    assert "name" not in modelled.get(ENV, "policies", ("p",)).body


def test_what_is_deleted_since_is_a_conflict_too(modelled: Store) -> None:
    write(modelled, Patch("roles", ("reader",), {"name": "Reader"}))
    write(modelled, Delete("roles", ("reader",), cascade=True))
    (found,) = modelled.history.undo(ENV, 2, None).plan.conflicts
    assert (found.version, found.stored, found.revision) == (0, None, 3)
    undo(modelled, 2, ChosenChange(ElementKind.ROLES, ("reader",), seen=0))
    assert modelled.get(ENV, "roles", ("reader",)).body == {"id": "reader"}


def test_an_element_that_was_added_and_is_used_now_stays(modelled: Store) -> None:
    write(modelled, Create("roles", {"id": "chief"}))
    write(modelled, Create("assignments", {"id": "b", "role": "chief", "group": "staff"}))
    before = stored(modelled)
    with pytest.raises(Conflict) as refused:
        undo(modelled, 2)
    assert [one.key for one in refused.value.users] == [("b",)]
    assert stored(modelled) == before


def test_a_plan_is_refused_once_its_element_has_changed(modelled: Store) -> None:
    write(modelled, Patch("roles", ("reader",), {"name": "Reader"}))
    plan = modelled.history.undo(ENV, 2, None).plan
    write(modelled, Patch("roles", ("reader",), {"name": "Other"}))
    with pytest.raises(PreconditionFailed):
        modelled.write(ENV, ACTOR, plan.edits)


def test_one_element_of_a_replacement_is_undone_alone(modelled: Store) -> None:
    put(modelled, MODEL | {"roles": [{"id": "editor", "name": "E"}, {"id": "reader", "name": "R"}]})
    undo(modelled, 2, ChosenChange(ElementKind.ROLES, ("reader",)))
    roles = {one["id"]: one.get("name") for one in stored(modelled)["roles"]}
    assert roles == {"editor": "E", "reader": None}
    with pytest.raises(NotFound, match="did not change the group `staff`"):
        modelled.history.undo(ENV, 2, [ChosenChange(*STAFF)])


def test_names_that_two_elements_have_swapped_go_back(modelled: Store) -> None:
    first, second = ({"type": "user", "id": id, "external_id": name} for id, name in (("x", "1"), ("y", "2")))
    put(modelled, MODEL | {"subjects": [first, second]})
    put(modelled, MODEL | {"subjects": [first | {"external_id": "2"}, second | {"external_id": "1"}]})
    undo(modelled, 3)
    assert modelled.get(ENV, "subjects", ("user", "x")).body == first


def test_the_undo_of_an_undo_is_the_change_again(modelled: Store) -> None:
    write(modelled, Put("roles", ("reader",), {"id": "reader", "name": "Reader"}))
    undo(modelled, 2)
    undo(modelled, 3)
    assert modelled.get(ENV, "roles", ("reader",)).body["name"] == "Reader"
