"""The registered attributes of an entity are those of the revision that decides, whatever was written since (E9)."""

from types import SimpleNamespace
from typing import Any

import pytest
from writ.api.store.elements.edits import Create, Delete, Patch
from writ.api.store.errors import Stale
from writ.api.store.history import registered_attributes

from tests.support.stored import ENV, put, write


@pytest.fixture(autouse=True)
def model(store):
    put(store, {"resource_types": [{"id": "document", "actions": ["read"]}], "roles": [{"id": "editor"}]})


def state(store, revision: int, **other: Any) -> Any:
    """The state of an engine at a revision, as far as a registry looks at it."""
    environment = store.environment(ENV)
    known = {"uuid": environment.uuid, "id": ENV} | {name: other[name] for name in other if name == "uuid"}
    manifest = SimpleNamespace(environment=SimpleNamespace(**known), epoch=other.get("epoch", environment.epoch))
    return SimpleNamespace(manifest=manifest, revision=revision)


def test_every_revision_has_its_own(store):
    """Created, changed, deleted, created again, and another entity changed in between."""
    steps: list[tuple[Any, dict[str, Any]]] = [
        (Create("resources", {"type": "document", "id": "d1", "attributes": {"n": 1}}), {"n": 1}),
        (Patch("resources", ("document", "d1"), {"attributes": {"n": 2}}), {"n": 2}),
        (Create("subjects", {"type": "user", "id": "d1", "attributes": {"n": 9}}), {"n": 2}),
        (Delete("resources", ("document", "d1")), {}),
        (Create("resources", {"type": "document", "id": "d2"}), {}),
        (Create("resources", {"type": "document", "id": "d1", "attributes": {"n": 3}}), {"n": 3}),
        (Patch("resources", ("document", "d1"), {"attributes": None}), {}),
    ]
    expected = {store.revision_of(ENV): {}}
    for edit, attributes in steps:
        write(store, edit)
        expected[store.revision_of(ENV)] = attributes
    assert len(expected) == len(steps) + 1
    for revision, attributes in expected.items():
        assert store.registry.resource(state(store, revision), "document", "d1") == attributes, revision
    last = state(store, store.revision_of(ENV))
    assert store.registry.subject(last, "user", "d1") == {"n": 9}
    assert store.registry.subject(last, "user", "\ud800") == {}


def test_many_changes_in_one_revision(store):
    since = store.revision_of(ENV)
    put(
        store,
        {
            "resource_types": [{"id": "document", "actions": ["read"]}],
            "resources": [{"type": "document", "id": f"{n}", "attributes": {"n": n}} for n in range(2_500)],
        },
    )
    assert store.registry.resource(state(store, since), "document", "2400") == {}
    assert store.registry.resource(state(store, since + 1), "document", "2400") == {"n": 2400}


def test_an_engine_too_far_behind_does_not_decide(store, monkeypatch):
    monkeypatch.setattr(registered_attributes, "MOST_CHUNKS", 3)
    since = store.revision_of(ENV)
    for n in range(3):
        write(store, Create("roles", {"id": f"{n}"}))
    with pytest.raises(Stale):
        store.registry.resource(state(store, since), "document", "d1")
    assert store.registry.resource(state(store, since + 1), "document", "d1") == {}


@pytest.mark.parametrize("other", [{"epoch": 7}, {"uuid": "another"}])
def test_another_environment_of_that_id_has_nothing_to_say(store, other):
    with pytest.raises(Stale):
        store.registry.resource(state(store, store.revision_of(ENV), **other), "document", "d1")
