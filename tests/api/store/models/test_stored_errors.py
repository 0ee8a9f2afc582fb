"""A model that an earlier Writ has stored, and in which this one finds an error: it goes on, and is not spread."""

from typing import Any

import pytest
from writ.api.store.actor import ADMIN_KEY, Actor
from writ.api.store.elements.edits import Create, Delete, Patch, Replace
from writ.api.store.errors import Conflict, Rejected
from writ.api.store.promotions.promotion import Wanted
from writ.api.store.store import Store
from writ.compiler.checks.allowlists import check_allowlists
from writ.compiler.checks.both_sides import check_both_sides
from writ.compiler.checks.equal_facts import check_equal_assignments

from tests.support.stored import ACTOR, ENV, put, put_as_an_earlier_writ, stored, write

ADMIN, STAGING = Actor(ADMIN_KEY), "staging"
OVER: dict[str, Any] = {
    "id": "over",
    "effect": "DENY",
    "resource_types": [{"resource_type_id": "payment", "actions": ["approve"]}],
    "conditions": {"resource_attrs": [{"key": "amount", "op": "gt", "value_of": "subject.limit"}]},
}
MODEL: dict[str, Any] = {
    "extensions": ["references"],
    "resource_types": [{"id": "payment", "actions": ["approve"], "attributes": {"amount": "number"}}],
    "roles": [{"id": "checker"}],
    "policies": [OVER],
    "attributes": {"subject": {"user": {"limit": "string"}}},
}
SENTENCE = (
    "the policy `over`: `amount` of the resource type `payment` is declared as number, and `limit` of the subject type"
    " `user` is declared as string, so the two never compare"
)


@pytest.fixture
def faulty(store: Store) -> Store:
    put_as_an_earlier_writ(store, MODEL, check_both_sides)
    return store


def test_its_errors_are_listed(faulty: Store) -> None:
    assert faulty.insight.errors(ENV, faulty.limits).all == (SENTENCE,)


def test_other_elements_change_as_before(faulty: Store) -> None:
    write(faulty, Create("roles", {"id": "teller"}))
    assert [one["id"] for one in stored(faulty)["roles"]] == ["checker", "teller"]


def test_the_next_change_of_the_element_is_refused_unless_it_mends_it(faulty: Store) -> None:
    with pytest.raises(Rejected, match="so the two never compare"):
        write(faulty, Patch("policies", ("over",), {"priority": 7}))
    numbers = {"subject": {"user": {"limit": "number"}}}
    write(faulty, Replace("attributes", ("attributes",), numbers))
    write(faulty, Patch("policies", ("over",), {"priority": 7}))
    assert faulty.insight.errors(ENV, faulty.limits).all == ()


def test_a_promotion_of_it_is_refused_with_the_sentence(faulty: Store) -> None:
    faulty.create_environment(ADMIN, STAGING)
    wanted = Wanted(ENV)
    assert faulty.promotions.preview(STAGING, ADMIN, wanted).errors == (SENTENCE,)
    with pytest.raises(Conflict, match="what the promotion brings has errors: the policy `over`: `amount`"):
        faulty.promotions.promote(STAGING, ADMIN, wanted)
    assert faulty.revision_of(STAGING) == 0


def test_a_restoration_only_warns(faulty: Store) -> None:
    earlier = faulty.revision_of(ENV)
    faulty.write(ENV, ACTOR, [Delete("policies", ("over",))])
    assert faulty.promotions.preview_restoration(ENV, ADMIN, earlier, Wanted(ENV)).errors == (SENTENCE,)
    done = faulty.promotions.restore(ENV, ADMIN, earlier, Wanted(ENV))
    assert (done.status, done.errors) == ("done", (SENTENCE,))
    assert [one["id"] for one in stored(faulty)["policies"]] == ["over"]


def test_a_sound_model_has_none(store: Store) -> None:
    put(store, MODEL | {"attributes": {"subject": {"user": {"limit": "number"}}}})
    assert store.insight.errors(ENV, store.limits).all == ()


HELD = {"role": "checker", "subject": {"type": "user", "id": "ann"}}
OTHERS = {
    "equal assignments": (
        check_equal_assignments,
        {"assignments": [HELD | {"id": "one"}, HELD | {"id": "two"}]},
        "the assignment `two`: the assignment `one` gives the same role to the same holder, for the same time",
    ),
    "an octal length": (
        check_allowlists,
        {"policies": [OVER | {"conditions": {"ip_allowlist": ["10.0.0.0/08"]}}]},
        "the policy `over`: the prefix length of `10.0.0.0/08` begins with a zero",
    ),
}


@pytest.mark.parametrize(("check", "lists", "said"), OTHERS.values(), ids=OTHERS)
def test_the_other_new_errors_are_listed_too(store: Store, check: Any, lists: dict[str, Any], said: str) -> None:
    put_as_an_earlier_writ(store, MODEL | {"attributes": {}} | lists, check)
    (found,) = (one for one in store.insight.errors(ENV, store.limits).all if "never compare" not in one)
    assert found.startswith(said)
    write(store, Create("roles", {"id": "teller"}))
