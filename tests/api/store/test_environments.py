"""Environments: isolated from each other in everything, and protected from deletion."""

import pytest
from writ.api.store.elements.edits import Create
from writ.api.store.environments import EnvironmentChange
from writ.api.store.errors import Conflict, NotFound, Protected, Rejected
from writ.api.store.store import Store

from tests.support.stored import ACTOR, ENV, put, source, stored, write

MODEL = {"roles": [{"id": "r"}], "groups": [{"id": "g", "members": [{"group": "g"}]}]}


def test_a_new_store_has_the_default_environment_for_its_owner_alone(tmp_path):
    store = Store.open(tmp_path / "deep" / "data")
    (env,) = store.environments()
    assert (env.id, env.protected, env.epoch, env.revision) == ("default", True, 1, 0)
    assert stored(store) == {}
    assert {path.stat().st_mode & 0o777 for path in store.path.parent.iterdir()} == {0o600}
    store.close()
    again = Store.open(tmp_path / "deep" / "data")
    assert again.environments() == (env,)
    again.close()


def test_environments_have_nothing_of_each_other(store):
    """Neither elements nor revisions nor tags."""
    put(store, MODEL)
    store.create_environment(ACTOR, "test.1", EnvironmentChange(protected=True))
    put(store, MODEL, "test.1")
    write(store, Create("roles", {"id": "s"}))
    assert (store.revision_of(ENV), store.revision_of("test.1")) == (2, 1)
    assert stored(store, "test.1") == MODEL
    assert store.get("test.1", "roles", ("r",)).etag != store.get(ENV, "roles", ("r",)).etag
    assert [env.id for env in store.environments()] == ["default", "test.1"]


def test_a_deleted_environment_is_gone_with_all_in_it_and_a_new_one_is_another(store):
    old = store.create_environment(ACTOR, "x")
    store.put_model("x", ACTOR, [source(MODEL)])
    store.record_bundle(store.environment("x"), 1, "file")
    store.delete_environment(ACTOR, "x")
    with pytest.raises(NotFound):
        store.model("x")
    with pytest.raises(NotFound):
        store.record_bundle(old, 1, "file")
    new = store.create_environment(ACTOR, "x")
    assert (new.uuid != old.uuid, new.number != old.number, new.revision) == (True, True, 0)
    assert stored(store, "x") == {}
    assert store.updates("x").bundle is None
    assert store.updates("x").deltas == ()


def test_who_can_t_be_made_or_deleted(store):
    store.create_environment(ACTOR, "safe", EnvironmentChange(protected=True))
    for id in ("default", "safe"):
        with pytest.raises(Protected):
            store.delete_environment(ACTOR, id)
        with pytest.raises(Conflict):
            store.create_environment(ACTOR, id)
    for id in ("", "a/b", "-", "a" * 65, "é", "\ud800", "a\n"):
        with pytest.raises(Rejected):
            store.create_environment(ACTOR, id)
        with pytest.raises(NotFound):
            store.delete_environment(ACTOR, id)
