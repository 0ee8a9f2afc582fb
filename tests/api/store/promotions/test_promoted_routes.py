"""Promotion carries routes and their order: preview, digest, drift, restoration, and the bundle."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from writ.api.store.actor import ADMIN_KEY, Actor
from writ.api.store.elements.edits import Create, Delete, Patch, Replace
from writ.api.store.environments import EnvironmentChange
from writ.api.store.errors import Conflict, Drifted
from writ.api.store.history.origin import POLICY_KINDS
from writ.api.store.promotions.policy_model import PolicyModel, Stored, unpacked
from writ.api.store.promotions.promotion import Preview, Wanted
from writ.api.store.store import Store
from writ.bundles.routing.settings import GatewaySettings, GatewaySubject
from writ.compiler.model.elements import ElementKind, Route

from tests.support.store_engines import Engine
from tests.support.stored import ACTOR, put, stored

ADMIN = Actor(ADMIN_KEY)
STAGING, PROD = "staging", "default"
FROM_STAGING = Wanted(STAGING)


def route(id: str, **members: Any) -> dict[str, Any]:
    shape = {"id": id, "methods": ["GET"], "path": f"/{id}/{{id}}", "resource_type": "document", "action": "read"}
    return shape | members


MODEL: dict[str, Any] = {
    "resource_types": [{"id": "document", "actions": ["read", "update"]}],
    "routes": [route(id) for id in "abc"],
}


@pytest.fixture
def store(engine: Engine, tmp_path: Path) -> Iterator[Store]:
    """A store whose `staging` has routes, and whose `default` has the same ones, promoted."""
    made = engine.open(tmp_path)
    made.create_environment(ADMIN, STAGING)
    put(made, MODEL, STAGING)
    made.promotions.promote(PROD, ADMIN, FROM_STAGING)
    yield made
    made.close()


def order(store: Store, env: str = PROD) -> str:
    return "".join(one["id"] for one in stored(store, env).get("routes", ()))


def preview(store: Store) -> Preview:
    return store.promotions.preview(PROD, ADMIN, FROM_STAGING)


def told(found: Any) -> list[tuple[str, str]]:
    return [(one.id, one.change) for one in found]


def test_routes_are_promoted_in_their_order(store: Store) -> None:
    assert order(store) == "abc"
    store.write(STAGING, ACTOR, (Replace("routes", ("c",), route("c"), before="a"),))
    seen = preview(store)
    assert seen.drift.baseline is not None
    assert told(seen.elements) == [("c", "moved")]
    assert seen.changes == {"routes": {"added": 0, "changed": 0, "removed": 0, "moved": 1}}
    made = store.promotions.promote(PROD, ADMIN, FROM_STAGING)
    assert made.digest == seen.digest != seen.drift.baseline.digest
    assert order(store) == "cab"
    assert preview(store).elements == ()


def test_a_route_among_others_and_its_type_are_promoted_together(store: Store) -> None:
    edits = (
        Create("resource_types", {"id": "folder", "actions": ["list"]}),
        Create("routes", route("f", resource_type="folder", action="list"), before="b"),
        Delete("routes", ("c",)),
        Patch("routes", ("a",), {"methods": ["*"]}),
    )
    store.write(STAGING, ACTOR, edits)
    assert {("f", "added"), ("c", "removed"), ("a", "changed"), ("folder", "added")} == set(
        told(preview(store).elements)
    )
    store.promotions.promote(PROD, ADMIN, FROM_STAGING)
    assert order(store) == "afb"


def test_a_moved_route_is_drift(store: Store) -> None:
    assert not store.promotions.drift(PROD).drifted
    store.write(PROD, ACTOR, (Create("routes", route("d")),))
    store.write(PROD, ACTOR, (Replace("routes", ("c",), route("c"), before="a"),))
    drift = store.promotions.drift(PROD)
    assert told(drift.changes) == [("d", "added"), ("c", "moved")]
    assert (drift.changes[1].by, drift.changes[1].revision) == (ACTOR.name, store.revision_of(PROD))
    with pytest.raises(Drifted):
        store.promotions.promote(PROD, ADMIN, FROM_STAGING)
    store.write(PROD, ACTOR, (Delete("routes", ("d",)), Replace("routes", ("a",), route("a"), before="c")))
    store.write(PROD, ACTOR, (Replace("routes", ("b",), route("b"), before="c"),))
    assert order(store) == "abc"
    assert not store.promotions.drift(PROD).drifted


def test_a_restoration_brings_the_order_back(store: Store) -> None:
    before = store.revision_of(PROD)
    digest = store.promotions.preview_restoration(PROD, ADMIN, before, Wanted(PROD)).digest
    put(store, MODEL | {"routes": [route("c"), route("x"), route("a")]}, PROD)
    restored = store.promotions.restore(PROD, ADMIN, before, Wanted(PROD))
    assert (order(store), restored.digest) == ("abc", digest)


def test_an_environment_that_changes_by_promotion_only_keeps_its_routes(store: Store) -> None:
    store.change_environment(ADMIN, PROD, EnvironmentChange(promotion_only=True))
    for edit in (Replace("routes", ("c",), route("c"), before="a"), Delete("routes", ("c",))):
        with pytest.raises(Conflict, match="silenced lints of `default` change by promotion only"):
            store.write(PROD, ACTOR, (edit,))
    with pytest.raises(Conflict, match="by promotion only"):
        put(store, MODEL | {"routes": [route(id) for id in "bac"]}, PROD)
    assert order(store) == "abc"


def test_gateway_settings_stay_with_their_environment(store: Store) -> None:
    store.change_gateway(ADMIN, STAGING, GatewaySettings(GatewaySubject("X-Subject"), ("unix",)))
    store.promotions.promote(PROD, ADMIN, FROM_STAGING)
    assert store.gateway(PROD) is None
    assert not store.promotions.drift(STAGING).drifted


def test_a_policy_model_that_waits_keeps_its_order() -> None:
    lists = {kind: dict[Any, Any]() for kind in POLICY_KINDS}
    texts = [json.dumps(route(id)).encode() for id in "cab"]
    lists[ElementKind.ROUTES] = {
        (id,): Stored(text, Route("", (), "/", "", "")) for id, text in zip("cab", texts, strict=True)
    }
    assert unpacked(PolicyModel(lists).packed()).route_order == ["c", "a", "b"]
    assert unpacked(b'{"resource_types":[],"roles":[],"policies":[]}').route_order == []
