"""Extensions and the mode of requests in the store: kept as put, in the history, promoted, and in each new bundle."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from writ.api.store.actor import ADMIN_KEY, Actor
from writ.api.store.elements.edits import CreateAt, Delete, Patch, Replace
from writ.api.store.environments import EnvironmentChange
from writ.api.store.errors import Conflict, NotFound, PreconditionFailed, Rejected
from writ.api.store.historical_model import historical_model
from writ.api.store.models.extent import Extent
from writ.api.store.promotions.promotion import Wanted
from writ.api.store.store import Store
from writ.bundles.zones import zone_names
from writ.compiler.load import load
from writ.compiler.model.elements import Extensions, Requests
from writ.compiler.model.source_digest import source_digest
from writ.compiler.source import Source

from tests.support.store_engines import Engine
from tests.support.stored import ACTOR, ENV, deltas, put, source, stored, write

ADMIN = Actor(ADMIN_KEY)
STAGING = "staging"
EXTENSIONS, REQUESTS = ("extensions",), ("requests",)
MODEL: dict[str, Any] = {
    "requests": "strict",
    "extensions": ["references", "now", "now"],
    "roles": [{"id": "reader"}],
}


@pytest.fixture
def store(engine: Engine, tmp_path: Path) -> Iterator[Store]:
    made = engine.open(tmp_path)
    put(made, MODEL)
    yield made
    made.close()


def test_a_model_is_kept_exactly_as_it_was_put(store: Store) -> None:
    document = b"".join(store.model(ENV))
    assert json.loads(document) == {"model": 1} | MODEL
    assert list(json.loads(document)) == ["model", *MODEL]
    put(store, MODEL)
    assert store.revision_of(ENV) == 1


@pytest.mark.parametrize("ending", ["json", "yaml", "writ"])
def test_each_form_is_stored(store: Store, ending: str) -> None:
    texts = {
        "json": '{"model": 1, "extensions": ["arrays"]}',
        "yaml": "model: 1\nextensions: [arrays]\n",
        "writ": "extensions arrays\n",
    }
    store.put_model(ENV, ACTOR, [Source(f"model.{ending}", texts[ending].encode())])
    assert stored(store) == {"extensions": ["arrays"]}
    put(store, {})
    assert stored(store) == {}


def test_documents_are_stored_together(store: Store) -> None:
    more = Source("more.yaml", b"model: 1\nextensions: [arrays, now]\nrequests: strict\n")
    store.put_model(ENV, ACTOR, [source(MODEL), more])
    assert stored(store) == MODEL | {"extensions": ["arrays", "now", "references"]}


def test_the_compiler_reads_back_what_was_loaded(store: Store) -> None:
    loaded = load([source(MODEL)], zone_names()).model
    assert loaded is not None
    _, model = store.read_model(ENV)
    assert (model.extensions, model.requests) == (loaded.extensions, loaded.requests)
    assert (model.extensions, model.requests) == ((Extensions(("references", "now", "now")),), (Requests("strict"),))
    assert source_digest(model) == source_digest(loaded)


def test_they_are_replaced_removed_and_added(store: Store) -> None:
    write(store, Replace("extensions", EXTENSIONS, {"names": []}))
    assert stored(store)["extensions"] == []
    write(store, Delete("extensions", EXTENSIONS), Delete("requests", REQUESTS))
    assert stored(store) == {"roles": MODEL["roles"]}
    with pytest.raises(NotFound, match="there is no list of extensions in environment `default`"):
        write(store, Delete("extensions", EXTENSIONS))
    with pytest.raises(NotFound, match="there is no mode of requests in environment `default`"):
        write(store, Delete("requests", REQUESTS))
    write(store, Replace("requests", REQUESTS, {"mode": "strict"}))
    with pytest.raises(PreconditionFailed):
        write(store, CreateAt("requests", REQUESTS, {"mode": "strict"}))
    assert stored(store)["requests"] == "strict"


@pytest.mark.parametrize(
    ("kind", "body", "fault"),
    [
        ("extensions", {"names": ["now", "nwo"]}, ("unknown-value", "$[1]")),
        ("extensions", {"names": "now"}, ("wrong-type", "$")),
        ("extensions", {"names": None}, ("wrong-type", "$")),
        ("requests", {"mode": "lax"}, ("unknown-value", "$")),
        ("requests", {"mode": ["strict"]}, ("wrong-type", "$")),
    ],
)
def test_a_fault_has_the_path_of_the_value(store: Store, kind: str, body: Any, fault: tuple[str, str]) -> None:
    with pytest.raises(Rejected) as error:
        write(store, Replace(kind, (kind,), body))
    assert [(one.code, one.path) for one in error.value.faults] == [fault]


def test_the_history_has_them(store: Store) -> None:
    put(store, MODEL | {"extensions": ["arrays"]})
    put(store, {"roles": MODEL["roles"]})
    changes = [one.changes for one in store.revisions(ENV)[0]]
    assert changes[1] == {"extensions": {"added": 0, "changed": 1, "removed": 0}}
    assert changes[0].keys() == {"extensions", "requests"}
    assert json.loads(b"".join(historical_model(store, ENV, 1))) == {"model": 1} | MODEL
    assert json.loads(b"".join(historical_model(store, ENV, 0))) == {"model": 1, "roles": []}


@pytest.mark.parametrize(
    "edit",
    [
        Replace("extensions", EXTENSIONS, {"names": ["now"]}),
        Delete("extensions", EXTENSIONS),
        Patch("extensions", EXTENSIONS, {"names": ["references", "now", "arrays"]}),
        Delete("requests", REQUESTS),
    ],
)
def test_a_change_gives_a_new_bundle_and_no_delta(store: Store, edit: Any) -> None:
    write(store, edit)
    assert deltas(store, 1) is None


def test_names_in_another_order_are_a_delta_without_changes(store: Store) -> None:
    write(store, Replace("extensions", EXTENSIONS, {"names": ["now", "references"]}))
    assert deltas(store, 1) is not None


def test_a_promotion_carries_them(store: Store) -> None:
    store.create_environment(ADMIN, STAGING)
    digest = store.promotions.preview(STAGING, ADMIN, Wanted(ENV)).digest
    store.promotions.promote(STAGING, ADMIN, Wanted(ENV))
    assert stored(store, STAGING) == MODEL
    assert not store.promotions.drift(STAGING).drifted
    store.write(STAGING, ACTOR, (Delete("requests", REQUESTS),))
    drift = store.promotions.drift(STAGING)
    assert [(one.kind, one.id, one.change) for one in drift.changes] == [("requests", "requests", "removed")]
    before = store.revision_of(STAGING)
    put(store, MODEL | {"extensions": []}, STAGING)
    store.promotions.restore(STAGING, ADMIN, before, Wanted(STAGING))
    assert stored(store, STAGING) == {name: MODEL[name] for name in ("extensions", "roles")}
    put(store, MODEL | {"extensions": ["arrays"]})
    assert store.promotions.preview(STAGING, ADMIN, Wanted(ENV)).digest != digest


def test_they_belong_to_the_policies_of_documents(store: Store) -> None:
    policies = {"extensions": ["arrays"], "groups": [{"id": "g"}]}
    store.put_model(ENV, ACTOR, [source(policies)], extent=Extent.POLICIES)
    assert stored(store) == {"extensions": ["arrays"], "roles": []}


def test_an_environment_that_changes_by_promotion_only_keeps_them(store: Store) -> None:
    store.change_environment(ADMIN, ENV, EnvironmentChange(promotion_only=True))
    for edit in (Delete("requests", REQUESTS), Replace("extensions", EXTENSIONS, {"names": []})):
        with pytest.raises(Conflict, match="by promotion only"):
            write(store, edit)
