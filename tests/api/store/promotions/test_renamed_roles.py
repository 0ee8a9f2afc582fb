"""A promotion that renames a role: its holders keep what they have, the approver sees them, and nothing is merged."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from writ.api.review.people.compared_models import people_between
from writ.api.store.actor import ADMIN_KEY, Actor
from writ.api.store.credentials.credentials import ApiKeySpec
from writ.api.store.environments import EnvironmentChange
from writ.api.store.errors import Conflict, Rejected
from writ.api.store.promotions.promotion import RoleRename, Wanted
from writ.api.store.store import Store

from tests.support.store_engines import Engine
from tests.support.stored import ACTOR, put, stored

ADMIN = Actor(ADMIN_KEY)
MODEL: dict[str, Any] = {
    "resource_types": [{"id": "drug", "actions": ["dispense"]}],
    "roles": [{"id": "nurse"}, {"id": "doctor"}],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "roles": ["nurse", "doctor"],
            "resource_types": [{"resource_type_id": "drug", "actions": ["dispense"]}],
        }
    ],
}
FACTS: dict[str, Any] = {
    "groups": [{"id": "icu"}],
    "assignments": [
        {"role": "nurse", "group": "icu", "expires_at": "2035-01-01T00:00:00Z"},
        {"id": "a2", "role": "doctor", "subject": {"type": "user", "id": "nurse"}},
    ],
}
RENAMED = json.loads(json.dumps(MODEL).replace('"nurse"', '"rn"'))
WANTED = Wanted("staging", renames=(RoleRename("nurse", "rn"),))


@pytest.fixture
def store(engine: Engine, tmp_path: Path) -> Iterator[Store]:
    made = engine.open(tmp_path)
    made.create_environment(ADMIN, "staging")
    put(made, MODEL, "staging")
    made.promotions.promote("default", ADMIN, Wanted("staging"))
    put(made, MODEL | FACTS, "default")
    put(made, RENAMED, "staging")
    yield made
    made.close()


def test_without_the_rename_the_assignment_stands_in_the_way(store: Store) -> None:
    with pytest.raises(Conflict, match="`assign nurse to group icu until 2035-01-01T00:00:00Z` still uses"):
        store.promotions.promote("default", ACTOR, Wanted("staging"))


def test_a_preview_shows_the_assignments_and_no_loss(store: Store) -> None:
    shown = store.promotions.preview("default", ACTOR, WANTED)
    assert (shown.in_use, shown.renames) == ((), WANTED.renames)
    assert shown.changes["assignments"] == {"added": 0, "changed": 1, "removed": 0}
    assert shown.elements[0].text == (
        "- assign nurse to group icu until 2035-01-01T00:00:00Z",
        "+ assign rn to group icu until 2035-01-01T00:00:00Z",
    )


def told(store: Store) -> tuple[list[str], list[str]]:
    """Returns the subjects that gain and those that lose by the promotion."""
    models = store.promotions.models("default", ADMIN, WANTED)
    assert models is not None
    found = people_between(*models)
    assert not found.unknown
    gains, loses = (
        [one.shown.id for region in regions for one in region.subjects] for regions in (found.gains, found.loses)
    )
    return gains, loses


def test_a_renamed_role_takes_nothing_from_its_holders(store: Store) -> None:
    put(store, MODEL | FACTS | {"groups": [{"id": "icu", "members": [{"type": "user", "id": "ann"}]}]}, "default")
    assert told(store) == ([], [])


def test_a_renamed_role_that_loses_a_policy_is_told_with_its_holders(store: Store) -> None:
    put(store, MODEL | FACTS | {"groups": [{"id": "icu", "members": [{"type": "user", "id": "ann"}]}]}, "default")
    put(store, RENAMED | {"policies": [RENAMED["policies"][0] | {"roles": ["doctor"]}]}, "staging")
    assert told(store) == ([], ["ann"])


def test_a_promotion_carries_the_assignments_in_one_revision(store: Store) -> None:
    before, revision = stored(store, "default"), store.environment("default").revision
    made = store.promotions.promote("default", ACTOR, WANTED)
    after = stored(store, "default")
    assert made.revision == revision + 1
    assert [one["role"] for one in after["assignments"]] == ["rn", "doctor"]
    assert after["assignments"][1] == before["assignments"][1]
    assert after["assignments"][0] | {"role": "nurse"} == before["assignments"][0]
    assert [one["id"] for one in after["roles"]] == ["rn", "doctor"]
    assert store.promotions.drift("default").drifted is False
    assert store.promotions.get("default", made.id).renames == WANTED.renames


def test_the_approver_sees_and_carries_out_the_rename(store: Store) -> None:
    store.change_environment(ADMIN, "default", EnvironmentChange(approvals=1))
    specs = (ApiKeySpec(name, ("admin",)) for name in ("asker", "other"))
    keys = [store.credentials.add_api_key(ADMIN, spec, bytes([place] * 32)) for place, spec in enumerate(specs)]
    asker, other = (Actor(f"api-key:{key.id}", api_key=key.id) for key in keys)
    waiting = store.promotions.promote("default", asker, WANTED)
    shown = store.promotions.get("default", waiting.id)
    assert shown.renames == WANTED.renames
    assert shown.elements[0].text[1] == "+ assign rn to group icu until 2035-01-01T00:00:00Z"
    assert stored(store, "default")["assignments"][0]["role"] == "nurse"
    store.promotions.approve("default", other, waiting.id, waiting.digest)
    assert [one["role"] for one in stored(store, "default")["assignments"]] == ["rn", "doctor"]


@pytest.mark.parametrize(
    "renames",
    [
        [("nurse", "doctor")],
        [("doctor", "rn")],
        [("none", "rn")],
        [("nurse", "none")],
        [("nurse", "rn"), ("nurse", "rn")],
    ],
)
def test_no_role_gets_the_holders_of_another_one(store: Store, renames: Any) -> None:
    wanted = Wanted("staging", renames=tuple(RoleRename(*one) for one in renames))
    before = stored(store, "default")
    for act in (store.promotions.preview, store.promotions.promote):
        with pytest.raises(Rejected) as refused:
            act("default", ACTOR, wanted)
        assert refused.value.faults[0].path.startswith("$.renames")
    assert stored(store, "default") == before
