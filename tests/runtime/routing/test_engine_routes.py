"""The routes of an engine: those of the model in order, from a bundle or through deltas; damage is an error."""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from writ import BundleError, Engine
from writ.bundles.delta import Delta, RoutingChange
from writ.bundles.file.reader import open_bundle
from writ.bundles.routing.route import Route
from writ.bundles.routing.routing import Routing
from writ.bundles.routing.settings import GatewaySettings
from writ.compiler.compile import Compiled
from writ.runtime.routing.route_table import RouteTable
from writ.runtime.routing.target import read_target

from tests.support.bundling import bundle_file, compiled
from tests.support.deltas import delta_between
from tests.support.strategies import document
from tests.support.strategies_pick import Pick

GATEWAY = msgspec.convert({"subject": {"header": "X-Subject"}, "trusted_proxies": ["unix"]}, GatewaySettings)
MODEL: dict[str, Any] = {
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "routes": [
        {"id": "new", "methods": ["GET"], "path": "/new", "resource_id": "n"},
        {"id": "one", "methods": ["GET"], "path": "/{id}", "attributes": {"page": "query:page"}},
    ],
}
for _route in MODEL["routes"]:
    _route |= {"resource_type": "document", "action": "read"}

ASKED = [
    (host, method, read_target(path))
    for host in ("", "a.example", "b.example", "x.b.example")
    for method in ("GET", "POST")
    for path in ("/", "/a", "/a/b", "/a/c", "/c/b", "/c/d", "/a/c/d", "/a/")
]


def written(model: Compiled, path: Path) -> Path:
    with path.open("w+b") as file:
        model.write(file)
    return path


def matches(table: RouteTable) -> list[Any]:
    return [table.match(*one) for one in ASKED]


@settings(max_examples=40)
@given(st.integers(0, 2**40))
def test_a_bundle_and_deltas_and_the_model_match_alike(seed: int) -> None:
    pick = Pick.seeded(seed)
    with tempfile.TemporaryDirectory() as folder:
        before, after = (compiled(document(pick)) for _ in range(2))
        engine = Engine.open(written(before, Path(folder) / "a.bundle"))
        assert matches(engine.routes) == matches(RouteTable(before.routing.routes))
        engine.apply_deltas([delta_between(before, after, 1)])
        fresh = Engine.open(written(after, Path(folder) / "b.bundle"))
        assert matches(engine.routes) == matches(fresh.routes) == matches(RouteTable(after.routing.routes))


def test_the_settings_come_with_the_bundle(tmp_path: Path) -> None:
    model = compiled(MODEL)
    plain = Engine.open(written(model, tmp_path / "plain.bundle"))
    assert (len(plain.routes), plain.gateway) == (2, None)
    routing = Routing(model.routing.routes, GATEWAY)
    assert Engine.open(written(replace(model, routing=routing), tmp_path / "g.bundle")).gateway == GATEWAY
    plain.apply_deltas([Delta(1, (RoutingChange(routing),))])
    assert (len(plain.routes), plain.gateway) == (2, GATEWAY)


def test_a_bundle_has_routes(tmp_path: Path) -> None:
    engine = Engine.open(bundle_file(MODEL, tmp_path / "d.bundle"))
    found = engine.routes.match("", "GET", read_target("/d1?page=2"))
    assert found is not None
    assert (found.route.id, found.identifier, found.sources()[0].name) == ("one", "d1", "page")


def test_a_table_is_built_once_until_the_routes_change(tmp_path: Path) -> None:
    engine = Engine.open(bundle_file(MODEL, tmp_path / "m.bundle"))
    table = engine.routes
    assert engine.routes is table
    engine.apply_deltas([Delta(1, ())])
    assert engine.routes is table
    pinned = engine.pinned()
    engine.apply_deltas([Delta(2, (RoutingChange(Routing()),))])
    assert (len(engine.routes), pinned.routes) == (0, table)


def test_a_bundle_without_routes_has_an_empty_section(tmp_path: Path) -> None:
    bundle = open_bundle(bundle_file({}, tmp_path / "m.bundle"))
    assert bundle.sections["routing"].size == 0
    assert bundle.manifest.counts["routes"] == 0
    bundle.verify()
    assert len(Engine(bundle).routes) == 0


def test_damage_is_found_when_a_route_is_asked_for(tmp_path: Path) -> None:
    path = bundle_file(MODEL, tmp_path / "m.bundle")
    data = bytearray(path.read_bytes())
    data[open_bundle(path).sections["routing"].offset + 4] ^= 1
    path.write_bytes(data)
    engine = Engine.open(path)
    assert engine.decide(_request())["decision"] is False
    with pytest.raises(BundleError, match="the checksum of section `routing` does not match"):
        _ = engine.routes
    with pytest.raises(BundleError):
        open_bundle(path).verify()


SOUND = compiled(MODEL).routing.routes[1]
CRAFTED: dict[str, Sequence[Route]] = {
    "path": [SOUND._replace(path="a/*/b")],
    "value": [SOUND._replace(value="{x}{y}")],
    "capture": [SOUND._replace(value="{x}")],
    "method": [SOUND._replace(methods=("get",))],
    "no method": [SOUND._replace(methods=())],
    "host": [SOUND._replace(hosts=("*",))],
    "ids": [SOUND, SOUND],
}


@pytest.mark.parametrize("case", CRAFTED)
def test_crafted_routes_are_refused(case: str, tmp_path: Path) -> None:
    routing = Routing(tuple(CRAFTED[case]))
    engine = Engine.open(written(replace(compiled(MODEL), routing=routing), tmp_path / "m.bundle"))
    with pytest.raises(BundleError, match="the bundle is damaged"):
        _ = engine.routes
    with pytest.raises(BundleError, match="damaged"):
        Engine.open(bundle_file(MODEL, tmp_path / "n.bundle")).apply_deltas([Delta(1, (RoutingChange(routing),))])


def test_crafted_settings_are_refused(tmp_path: Path) -> None:
    everyone = msgspec.structs.replace(GATEWAY, trusted_proxies=("0.0.0.0/0",))
    engine = Engine.open(written(replace(compiled(MODEL), routing=Routing((), everyone)), tmp_path / "m.bundle"))
    with pytest.raises(BundleError, match="would trust everyone"):
        _ = engine.gateway


def test_ten_thousand_routes_are_not_read_by_opening(tmp_path: Path) -> None:
    routes = [
        {"id": f"r{n}", "methods": ["GET"], "path": f"/s{n}/{{id}}", "resource_type": "document", "action": "read"}
        for n in range(10_000)
    ]
    engine = Engine.open(bundle_file(MODEL | {"routes": routes}, tmp_path / "m.bundle"))
    engine.decide(_request())
    assert engine._snapshot.routed._found is None
    found = engine.routes.match("", "GET", read_target("/s9999/d1"))
    assert found is not None
    assert (found.route.id, found.identifier) == ("r9999", "d1")


def _request() -> dict[str, Any]:
    text = '{"subject": {"type": "user", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "document"}}'
    request: dict[str, Any] = json.loads(text)
    request["resource"]["id"] = "d1"
    return request
