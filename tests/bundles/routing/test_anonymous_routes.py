"""What came later in bundles and deltas is left out unless a route uses it, and named in `needs` if one does (E11)."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from writ import BundleError, Engine
from writ.bundles import manifest, zones
from writ.bundles.delta import Delta, RoutingChange, decode_delta, encode_delta
from writ.bundles.file.in_memory import bundle_in_memory
from writ.bundles.file.reader import Bundle
from writ.bundles.file.sections import Section
from writ.bundles.routing.settings import AnonymousSubject, GatewaySettings, GatewaySubject
from writ.compiler.compile import Compiled, compile_model
from writ.compiler.load import load
from writ.compiler.source import Source

from tests.support.bundling import compiled

PLAIN = GatewaySettings(GatewaySubject(header="X-User"))
NAMED = msgspec.structs.replace(PLAIN, anonymous=AnonymousSubject("visitor", "anyone"))
ROUTE_FIELDS = 9
"""The fields of a route before this rule. Older Writs read no more."""


def model(**route: Any) -> dict[str, Any]:
    stated = {"id": "read", "methods": ["GET"], "path": "/{id}", "resource_type": "page", "action": "read"} | route
    return {"resource_types": [{"id": "page", "actions": ["read"]}], "routes": [stated]}


def made(document: dict[str, Any], gateway: GatewaySettings | None) -> Compiled:
    loaded = load([Source("model.json", json.dumps({"model": 1} | document).encode())], zones.zone_names())
    assert loaded.model is not None, loaded.diagnostics
    return compile_model(loaded.model, zones.zone_data, zones.VERSION, gateway)


def opened(found: Compiled) -> Bundle:
    return bundle_in_memory(found.write)


def routing_of(bundle: Bundle) -> Any:
    return msgspec.msgpack.decode(bundle._blob(Section.ROUTING))


@pytest.mark.parametrize("route", [{}, {"anonymous": False}])
@pytest.mark.parametrize("gateway", [PLAIN, NAMED])
def test_without_a_marked_route_a_bundle_is_as_before(route: dict[str, Any], gateway: GatewaySettings) -> None:
    bundle = opened(made(model(**route), gateway))
    assert (bundle.manifest.needs, bundle.routing().gateway) == ((), PLAIN)
    ((stated,), settings) = routing_of(bundle)
    assert (len(stated), settings) == (ROUTE_FIELDS, {"subject": {"header": "X-User"}})


def test_with_a_marked_route_the_manifest_says_so() -> None:
    bundle = opened(made(model(anonymous=True), NAMED))
    assert (bundle.manifest.needs, bundle.routing().gateway) == (("anonymous",), NAMED)
    assert [route.anonymous for route in bundle.routing().routes] == [True]
    without_setting = opened(made(model(anonymous=True), PLAIN))
    assert (without_setting.manifest.needs, without_setting.routing().gateway) == (("anonymous",), PLAIN)


@pytest.mark.parametrize("marked", [False, True])
def test_a_delta_says_the_same(marked: bool, tmp_path: Path) -> None:
    found = made(model(anonymous=marked), NAMED)
    delta = Delta(1, (RoutingChange(found.routing),), needs=found.manifest.needs)
    raw: Any = msgspec.msgpack.decode(encode_delta(delta))
    ((tag, ((stated,), settings)),) = raw[2]
    assert (tag, len(stated), "anonymous" in settings) == ("RoutingChange", ROUTE_FIELDS + marked, marked)
    assert raw[4:] == ([["anonymous"]] if marked else [])
    path = tmp_path / "m.bundle"
    with path.open("w+b") as file:
        made(model(), None).write(file)
    engine = Engine.open(path)
    engine.apply_deltas([decode_delta(encode_delta(delta))])
    assert engine.gateway == (NAMED if marked else PLAIN)


def test_a_writ_that_does_not_know_the_rule_refuses_both(monkeypatch: pytest.MonkeyPatch) -> None:
    found = made(model(anonymous=True), NAMED)
    delta = encode_delta(Delta(1, (RoutingChange(found.routing),), needs=found.manifest.needs))
    monkeypatch.setattr(manifest, "NEEDS", ("kinds",))
    with pytest.raises(BundleError, match="needs the rule `anonymous`, which this Writ does not know: install a newer"):
        opened(found)
    with pytest.raises(BundleError, match="the delta needs the rule `anonymous`"):
        decode_delta(delta)


def test_the_mark_is_a_part_of_the_model() -> None:
    plain, unmarked, marked = (
        compiled(model(**one)).manifest for one in ({}, {"anonymous": False}, {"anonymous": True})
    )
    assert plain == unmarked
    assert plain.source != marked.source
