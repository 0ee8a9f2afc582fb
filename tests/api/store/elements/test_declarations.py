"""Declared attributes and silenced lints in the store: kept as put, checked, in the history, promoted."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from writ.api.store.actor import ADMIN_KEY, Actor
from writ.api.store.elements.edits import Create, CreateAt, Delete, Patch, Replace
from writ.api.store.environments import EnvironmentChange
from writ.api.store.errors import Conflict, Drifted, NotFound, PreconditionFailed, Rejected
from writ.api.store.historical_model import historical_model
from writ.api.store.promotions.promotion import Wanted
from writ.api.store.store import Store
from writ.bundles.delta import decode_delta
from writ.bundles.zones import zone_names
from writ.compiler.load import load
from writ.compiler.model.source_digest import source_digest
from writ.compiler.source import Source

from tests.support.store_engines import Engine
from tests.support.stored import ACTOR, ENV, deltas, put, source, stored, write

ADMIN = Actor(ADMIN_KEY)
STAGING = "staging"
KEY = ("attributes",)
ATTRIBUTES: dict[str, Any] = {"context": {"mfa": "boolean"}, "subject": {"user": {"dept": "string"}, "bot": {}}}
LINTS = [
    {"reason": "open on purpose", "on": ["p", "p"], "code": "allow-everyone"},
    {"code": "empty-list", "reason": "a template"},
]


def policy(id: str, key: str = "mfa", value: Any = True) -> dict[str, Any]:
    conditions = {"context_attrs": [{"key": key, "op": "eq", "value": value}]}
    return everyone(id) | {"conditions": conditions}


def everyone(id: str) -> dict[str, Any]:
    scope = {"resource_type_id": "document", "actions": ["read"]}
    return {"id": id, "effect": "ALLOW", "resource_types": [scope]}


MODEL: dict[str, Any] = {
    "lints": LINTS,
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "attributes": ATTRIBUTES,
    "policies": [policy("m"), everyone("p")],
}


@pytest.fixture
def store(engine: Engine, tmp_path: Path) -> Iterator[Store]:
    made = engine.open(tmp_path)
    put(made, MODEL)
    yield made
    made.close()


def codes(error: Any) -> list[tuple[str, str]]:
    return [(one.code, one.path) for one in error.value.faults]


def test_a_model_is_kept_exactly_as_it_was_put(store: Store) -> None:
    document = b"".join(store.model(ENV))
    assert json.loads(document) == {"model": 1} | MODEL
    assert list(json.loads(document)) == ["model", *MODEL]
    assert list(json.loads(document)["attributes"]) == ["context", "subject"]
    put(store, MODEL)
    assert store.revision_of(ENV) == 1


@pytest.mark.parametrize("attributes", [{}, {"subject": {}}])
def test_empty_declarations_are_kept(store: Store, attributes: dict[str, Any]) -> None:
    put(store, {"attributes": attributes, "lints": []})
    assert stored(store) == {"attributes": attributes, "lints": []}
    put(store, {})
    assert stored(store) == {}


def test_documents_are_stored_together(store: Store) -> None:
    second = Source("more.yaml", b"model: 1\nattributes: {context: {device: string}, action: {reason: string}}\n")
    store.put_model(ENV, ACTOR, [source({"attributes": ATTRIBUTES}), second])
    assert stored(store)["attributes"] == ATTRIBUTES | {
        "context": {"mfa": "boolean", "device": "string"},
        "action": {"reason": "string"},
    }


def test_the_compiler_reads_back_what_was_loaded(store: Store) -> None:
    loaded = load([source(MODEL)], zone_names()).model
    assert loaded is not None
    _, model = store.read_model(ENV)
    assert (model.attributes, model.lints) == (loaded.attributes, loaded.lints)
    assert source_digest(model) == source_digest(loaded)


@pytest.mark.parametrize(
    "edit",
    [
        Create("policies", policy("n", "mfaa")),
        Replace("policies", ("m",), policy("m", "mfa", "yes")),
        Patch("policies", ("m",), {"conditions": {"context_attrs": [{"key": "mfaa", "op": "eq", "value": 1}]}}),
    ],
)
def test_a_written_policy_fits_the_stored_declarations(store: Store, edit: Any) -> None:
    with pytest.raises(Rejected) as error:
        write(store, edit)
    assert codes(error)[0][0] in ("unknown-attribute", "attribute-type")
    write(store, Create("policies", policy("n")))


def test_changed_declarations_fit_the_stored_policies(store: Store) -> None:
    for edit in (Patch("attributes", KEY, {"context": {"mfa": None}}), Replace("attributes", KEY, {"context": {}})):
        with pytest.raises(Rejected) as error:
            write(store, edit)
        assert codes(error) == [("unknown-attribute", "$")]
        assert error.value.faults[0].message == "the policy `m`: the context has no attribute `mfa`"
    write(store, Patch("attributes", KEY, {"context": {"device": "string"}, "subject": None}))
    assert stored(store)["attributes"] == {"context": {"mfa": "boolean", "device": "string"}}


def test_declarations_may_change_with_a_policy_in_one_write(store: Store) -> None:
    renamed = {"context": {"second_factor": "boolean"}}
    edits = (Replace("attributes", KEY, renamed), Replace("policies", ("m",), policy("m", "second_factor")))
    write(store, *edits)
    assert stored(store)["attributes"] == renamed


def test_declarations_are_added_and_removed(store: Store) -> None:
    write(store, Delete("attributes", KEY))
    assert "attributes" not in stored(store)
    with pytest.raises(NotFound, match="there is no declaration of attributes in environment `default`"):
        write(store, Delete("attributes", KEY))
    write(store, Create("policies", policy("n", "mfaa")))
    with pytest.raises(Rejected):
        write(store, Replace("attributes", KEY, ATTRIBUTES))
    (added,) = write(store, Replace("attributes", KEY, {"action": {}})).results
    assert added.body == {"action": {}}
    with pytest.raises(PreconditionFailed):
        write(store, CreateAt("attributes", KEY, {}))


def test_bodies_have_no_key(store: Store) -> None:
    for edit in (Replace("attributes", KEY, {"id": "attributes"}), Create("lints", {"id": "x", "code": "empty-list"})):
        with pytest.raises(Rejected) as error:
            write(store, edit)
        assert ("unknown-member", "$.id") in codes(error)


def test_stored_silences_hold_for_written_policies(store: Store) -> None:
    assert write(store, Replace("policies", ("p",), everyone("p"))).warnings == ()
    (warning,) = write(store, Create("policies", everyone("q"))).warnings
    assert warning.code == "allow-everyone"
    nothing = {"conditions": {"resource_attrs": [{"key": "k", "op": "nin", "value": []}]}}
    assert write(store, Create("policies", everyone("r") | nothing)).warnings == ()


def test_the_history_has_them(store: Store) -> None:
    put(store, MODEL | {"attributes": {"context": {"mfa": "boolean"}}, "lints": LINTS[1:]})
    assert store.revisions(ENV)[0][0].changes == {
        "attributes": {"added": 0, "changed": 1, "removed": 0},
        "lints": {"added": 0, "changed": 0, "removed": 1},
    }
    before = json.loads(b"".join(historical_model(store, ENV, 1)))
    assert before["attributes"] == ATTRIBUTES
    assert sorted(before["lints"], key=json.dumps) == sorted(LINTS, key=json.dumps)
    assert "attributes" not in json.loads(b"".join(historical_model(store, ENV, 0)))


def test_an_edit_needs_a_new_bundle(store: Store) -> None:
    """E8: a bundle has the declared attributes, and no delta changes them."""
    write(store, Patch("attributes", KEY, {"action": {"reason": "string"}}))
    assert deltas(store, 1) is None
    write(store, Patch("attributes", KEY, {"action": {"reason": {"kind": "string", "required": False}}}))
    (delta,) = deltas(store, 2) or [b""]
    assert decode_delta(delta).changes == ()


def test_a_promotion_carries_them(store: Store) -> None:
    store.create_environment(ADMIN, STAGING)
    store.promotions.promote(STAGING, ADMIN, Wanted(ENV))
    assert {name: stored(store, STAGING)[name] for name in ("attributes", "lints")} == {
        "attributes": ATTRIBUTES,
        "lints": LINTS,
    }
    assert not store.promotions.drift(STAGING).drifted
    store.write(STAGING, ACTOR, (Patch("attributes", KEY, {"action": {}}),))
    drift = store.promotions.drift(STAGING)
    assert [(one.kind, one.id, one.change) for one in drift.changes] == [("attributes", "attributes", "changed")]
    with pytest.raises(Drifted):
        store.promotions.promote(STAGING, ADMIN, Wanted(ENV))
    digest = store.promotions.preview(STAGING, ADMIN, Wanted(ENV)).digest
    put(store, MODEL | {"lints": LINTS[:1]})
    assert store.promotions.preview(STAGING, ADMIN, Wanted(ENV)).digest != digest
    before = store.revision_of(STAGING)
    put(store, MODEL | {"attributes": {}}, STAGING)
    store.promotions.restore(STAGING, ADMIN, before, Wanted(STAGING))
    assert stored(store, STAGING)["attributes"] == ATTRIBUTES | {"action": {}}


def test_an_environment_that_changes_by_promotion_only_keeps_them(store: Store) -> None:
    store.change_environment(ADMIN, ENV, EnvironmentChange(promotion_only=True))
    with pytest.raises(Conflict, match="by promotion only"):
        write(store, Patch("attributes", KEY, {"action": {}}))
    with pytest.raises(Conflict, match="by promotion only"):
        put(store, MODEL | {"lints": []})
