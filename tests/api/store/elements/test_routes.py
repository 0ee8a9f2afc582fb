"""Routes in the store: their order is data, and their types can't go away under them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from writ.api.store.elements.edits import Create, Delete, Patch, Replace
from writ.api.store.errors import Conflict, Rejected
from writ.api.store.historical_model import historical_model
from writ.api.store.history.route_orders import moved
from writ.api.store.store import Store
from writ.bundles.delta import MAX_ROUTES, RoutingChange, decode_delta
from writ.bundles.routing.route import Route
from writ.compiler.limits import DEFAULTS
from writ.compiler.source import Source

from tests.support.store_engines import Engine
from tests.support.stored import ACTOR, ENV, deltas, put, source, write

TYPES: dict[str, Any] = {
    "resource_types": [{"id": "document", "actions": ["read", "update"]}, {"id": "folder", "actions": ["read"]}]
}


def route(id: str, **members: Any) -> dict[str, Any]:
    shape = {"id": id, "methods": ["GET"], "path": f"/{id}/{{id}}", "resource_type": "document", "action": "read"}
    return shape | members


@pytest.fixture
def store(engine: Engine, tmp_path: Path) -> Iterator[Store]:
    """A store with four routes."""
    made = engine.open(tmp_path)
    put(made, TYPES | {"routes": [route(id) for id in "abcd"]})
    yield made
    made.close()


def order(store: Store, revision: int | None = None) -> str:
    """The ids of the routes in the document, now or at a revision."""
    stream = store.model(ENV) if revision is None else historical_model(store, ENV, revision)
    document = json.loads(b"".join(stream))
    return "".join(one["id"] for one in document.get("routes", ()))


def told(store: Store, since: int) -> tuple[Route, ...]:
    """The routes that the last delta since a revision has."""
    found = deltas(store, since)
    assert found
    changes = [one for one in decode_delta(found[-1]).changes if isinstance(one, RoutingChange)]
    return changes[-1].routing.routes


def test_a_new_route_comes_last_or_before_another_one(store: Store) -> None:
    write(store, Create("routes", route("e")))
    write(store, Create("routes", route("f"), before="b"))
    assert order(store) == "afbcde"
    assert "".join(one.body["id"] for one in store.list(ENV, "routes").items) == "afbcde"
    first = store.list(ENV, "routes", limit=4)
    rest = store.list(ENV, "routes", limit=4, cursor=first.next_cursor)
    assert "".join(one.body["id"] for one in (*first.items, *rest.items)) == "afbcde"
    assert "".join(one.id for one in told(store, 1)) == "afbcde"


def test_a_route_moves_by_a_replacement(store: Store) -> None:
    write(store, Replace("routes", ("d",), route("d"), before="a"))
    assert (order(store), order(store, 1)) == ("dabc", "abcd")
    assert store.revisions(ENV)[0][0].changes == {"routes": {"added": 0, "changed": 0, "removed": 0, "moved": 1}}
    assert "".join(one.id for one in told(store, 1)) == "dabc"
    before = store.revision_of(ENV)
    write(store, Replace("routes", ("d",), route("d"), before="a"))
    assert store.revision_of(ENV) == before


def test_other_lists_have_no_order(store: Store) -> None:
    with pytest.raises(Rejected, match="only routes have an order"):
        write(store, Create("roles", {"id": "r"}, before="a"))
    with pytest.raises(Rejected, match="there is no route `z`"):
        write(store, Create("routes", route("e"), before="z"))


def test_each_revision_has_its_own_order(store: Store) -> None:
    seen = {0: "", 1: "abcd"}
    writes = (
        (Create("routes", route("e")),),
        (Delete("routes", ("b",)), Create("routes", route("f"), before="a")),
        (Patch("routes", ("c",), {"methods": ["PUT"]}),),
        (Replace("routes", ("e",), route("e"), before="c"), Create("routes", route("b"))),
        (Delete("routes", ("f",)), Create("routes", route("f"))),
        (Create("routes", route("g")), Delete("routes", ("g",))),
    )
    for edits in writes:
        write(store, *edits)
        seen[store.revision_of(ENV)] = order(store)
    put(store, TYPES | {"routes": [route(id) for id in "fbxa"]})
    seen[store.revision_of(ENV)] = "fbxa"
    put(store, TYPES)
    seen[store.revision_of(ENV)] = ""
    assert {revision: order(store, revision) for revision in seen} == seen


def test_a_model_that_only_reorders_routes_is_a_revision(store: Store) -> None:
    result = store.put_model(ENV, ACTOR, [_source("dabc")], dry_run=True)
    assert result.changes == {"routes": {"added": 0, "changed": 0, "removed": 0, "moved": 1}}
    assert result.listed == (("routes", ("d",), "moved"),)
    assert store.put_model(ENV, ACTOR, [_source("dabc")]).revision == 2
    assert "".join(one.id for one in told(store, 1)) == "dabc"
    assert store.put_model(ENV, ACTOR, [_source("dabc")]).revision == 2


def test_a_type_that_a_route_names_is_used(store: Store) -> None:
    with pytest.raises(Conflict) as refused:
        write(store, Delete("resource_types", ("document",)))
    assert refused.value.users[0] == ("routes", ("a",), "")
    write(store, Delete("resource_types", ("document",), cascade=True))
    assert order(store) == ""
    assert order(store, 1) == "abcd"


def test_a_type_keeps_the_actions_that_routes_name(store: Store) -> None:
    with pytest.raises(Rejected) as refused:
        write(store, Patch("resource_types", ("document",), {"actions": ["update"]}))
    assert refused.value.faults[0].code == "unknown-action"
    assert refused.value.faults[0].message.startswith("the route `a`: ")
    with pytest.raises(Rejected) as refused:
        write(store, Create("routes", route("e", action="delete")))
    assert [(one.code, one.path) for one in refused.value.faults] == [("unknown-action", "$.action")]


def test_a_store_has_as_many_routes_as_a_document(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "full", "NORMAL")
    put(store, TYPES | {"routes": [route(f"r{number}") for number in range(DEFAULTS.routes)]})
    with pytest.raises(Rejected) as refused:
        write(store, Create("routes", route("more")))
    assert refused.value.faults[0].code == "too-many-routes"
    write(store, Replace("routes", ("r9",), route("r9"), before="r3"))
    assert deltas(store, 1) is None  # more than a delta has: a new bundle follows
    assert DEFAULTS.routes > MAX_ROUTES
    store.close()


def test_the_filters(store: Store) -> None:
    write(store, Create("routes", route("e", resource_type="folder")))
    assert [one.body["id"] for one in store.list(ENV, "routes", {"resource_type": "folder"}).items] == ["e"]
    assert len(store.list(ENV, "routes", {"action": "read"}).items) == 5


def test_the_fewest_moves() -> None:
    assert moved("", "abc") == moved("abc", "") == frozenset()
    assert len(moved("abcdef", "fabcde")) == len(moved("abcdef", "bcdefa")) == 1
    assert len(moved("abc", "cba")) == 2


def _source(ids: str) -> Source:
    return source(TYPES | {"routes": [route(id) for id in ids]})
