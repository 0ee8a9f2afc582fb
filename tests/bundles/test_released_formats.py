"""Bundles of every released format still open, verify, decide and follow. A newer format is refused in one sentence.

`released/` has one signed bundle of each format, as a past Writ wrote it, with an update and the answers of then. A
file in it never changes. `--update-golden` writes those of the current format, if they are missing.
"""

import json
import struct
from pathlib import Path
from typing import Any, Final

import pytest
from writ import BundleError, Engine
from writ.bundles.delta import (
    Delta,
    FormatNeeded,
    GrantsChange,
    GrantState,
    RoleChange,
    RoutingChange,
    SubjectChange,
    encode_delta,
)
from writ.bundles.feed.position import position_of
from writ.bundles.feed.update import claims_about, encode_update, verified_update
from writ.bundles.file.header import HEADER, MAGIC, ROUTING_FORMAT, VERSION
from writ.bundles.program.facts import EntityKey, Holding
from writ.bundles.routing.routing import Routing
from writ.bundles.routing.settings import GatewaySettings, GatewaySubject
from writ.bundles.signing.verify import open_verified_bundle
from writ.runtime.routing.target import read_target

from tests.support.signed import ISSUED, KEY, NOW, PROD, public_pem, sign_file, write_bundle

FOLDER: Final = Path(__file__).with_name("released")
MODEL: Final[dict[str, Any]] = {
    "resource_types": [
        {"id": "document", "actions": ["read", "update"], "closed": True},
        {"id": "folder", "actions": ["read"]},
    ],
    "roles": [{"id": "editor"}, {"id": "reader"}],
    "groups": [{"id": "eng", "members": [{"type": "user", "id": "bob"}]}],
    "subjects": [{"type": "user", "id": "alice", "external_id": "idp|1"}],
    "resources": [{"type": "document", "id": "d1", "name": "Plan", "attributes": {"status": "draft"}}],
    "assignments": [
        {"role": "editor", "subject": {"type": "user", "id": "alice"}},
        {"role": "reader", "group": "eng", "expires_at": "2099-01-01T00:00:00Z"},
        {"role": "reader", "subject": {"type": "user", "id": "dave"}, "starts_at": "2020-01-01T00:00:00Z"},
        {"role": "editor", "subject": {"type": "user", "id": "dave"}, "starts_at": "2098-01-01T00:00:00Z"},
    ],
    "grants": [
        {
            "id": "g1",
            "subject": {"type": "user", "id": "carol"},
            "resource": {"type": "document", "id": "d1"},
            "actions": ["read"],
            "starts_at": "2020-01-01T00:00:00Z",
        },
        {
            "id": "g2",
            "subject": {"type": "user", "id": "carol"},
            "resource": {"type": "document", "id": "d1"},
            "actions": ["update"],
            "starts_at": "2098-01-01T00:00:00Z",
        },
    ],
    "policies": [
        {
            "id": "p1",
            "effect": "ALLOW",
            "roles": ["editor"],
            "resource_types": [{"resource_type_id": "document", "actions": ["*"]}],
            "conditions": {
                "resource_attrs": [{"key": "status", "op": "in", "value": ["draft", "review"]}],
                "time_window": {"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "timezone": "Europe/Oslo"},
                "ip_allowlist": ["10.0.0.0/8"],
            },
        },
        {
            "id": "p2",
            "effect": "ALLOW",
            "roles": ["reader"],
            "resource_types": [{"resource_type_id": "folder", "actions": ["read"]}],
        },
        {
            "id": "p3",
            "effect": "DENY",
            "priority": 5,
            "resource_types": [{"resource_type_id": "document", "actions": ["update"]}],
            "conditions": {"resource_attrs": [{"key": "title", "op": "regex", "value": "^secret"}]},
        },
    ],
    "routes": [
        {"id": "r1", "methods": ["GET"], "path": "/d/{id}", "resource_type": "document", "action": "read"},
        {
            "id": "r2",
            "hosts": ["*.example"],
            "methods": ["PUT", "PATCH"],
            "path": "/d/*",
            "resource_type": "document",
            "external_id": "doc-{*}",
            "action": "update",
            "attributes": {"page": "query:page"},
        },
    ],
}


def questions() -> list[dict[str, Any]]:
    """Requests that need each part of the bundle."""
    asked: list[dict[str, Any]] = []
    for subject in ({"id": "alice"}, {"external_id": "idp|1"}, {"id": "bob"}, {"id": "carol"}, {"id": "dave"}):
        for action in ("read", "update"):
            for resource in (
                {"type": "document", "id": "d1"},
                {"type": "document", "name": "Plan"},
                {"type": "folder", "id": "f"},
            ):
                for properties in ({"status": "draft"}, {"status": "draft", "title": "secret plan"}):
                    asked.append(
                        {
                            "subject": {"type": "user", **subject},
                            "action": {"name": action},
                            "resource": {**resource, "properties": properties},
                            "context": {"ip": "10.1.2.3"},
                        }
                    )
    return asked


def answers(engine: Engine) -> list[Any]:
    """The answers to the questions, and a filter."""
    search = {"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"}, "resource": {"type": "document"}}
    return [*(engine.decide(one, now=NOW) for one in questions()), engine.filter(search, now=NOW)]


def write_current() -> None:
    """Write the files of the current format."""
    path = FOLDER / f"{VERSION}.bundle"
    sign_file(write_bundle(MODEL, path))
    bundle, _ = open_verified_bundle(path, public_pem(KEY), PROD.uuid, NOW)
    bob = SubjectChange(EntityKey("user", "bob"), ("eng",), (Holding("editor", float("inf")),))
    late = GrantState("g3", ("read",), float("inf"), NOW + 1)
    dave = GrantsChange(EntityKey("user", "dave"), EntityKey("document", "d1"), (late,))
    gateway = GatewaySettings(GatewaySubject("X-Subject"), ("10.0.0.0/8",))
    routing = RoutingChange(Routing(bundle.routing().routes[1:], gateway))
    delta = encode_delta(Delta(8, (FormatNeeded(VERSION), RoleChange("new", True), bob, dave, routing)))
    claims = claims_about(PROD, 1, [position_of(bundle).manifest], 7, [delta], ISSUED)
    (FOLDER / f"{VERSION}.update").write_bytes(encode_update(claims, [delta], KEY))
    engine = Engine(bundle)
    before = answers(engine)
    engine.apply_deltas(verified_update((FOLDER / f"{VERSION}.update").read_bytes(), public_pem(KEY), NOW).deltas)
    text = json.dumps({"before": before, "after": answers(engine)}, indent=1)
    (FOLDER / f"{VERSION}.json").write_text(f"{text}\n")


@pytest.fixture(autouse=True)
def _written(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden") and not (FOLDER / f"{VERSION}.bundle").exists():
        write_current()


@pytest.mark.parametrize("version", range(VERSION + 1))
def test_a_bundle_of_a_released_format_decides_as_it_did(version: int) -> None:
    bundle, _ = open_verified_bundle(FOLDER / f"{version}.bundle", public_pem(KEY), PROD.uuid, NOW)
    bundle.verify()
    said = json.loads((FOLDER / f"{version}.json").read_text())
    engine, position = Engine(bundle), position_of(bundle)
    assert json.loads(json.dumps(answers(engine))) == said["before"]
    update = verified_update((FOLDER / f"{version}.update").read_bytes(), public_pem(KEY), NOW)
    update.check_follows(position)
    engine.apply_deltas(update.deltas)
    assert json.loads(json.dumps(answers(engine))) == said["after"] != said["before"]


def test_the_first_format_with_routes_routes_as_it_did() -> None:
    engine = Engine.open(FOLDER / f"{ROUTING_FORMAT}.bundle", clock=lambda: NOW)
    assert [_routed(engine, "GET"), _routed(engine, "PUT")] == [("r1", "x"), ("r2", "doc-x")]
    assert engine.gateway is None
    update = verified_update((FOLDER / f"{ROUTING_FORMAT}.update").read_bytes(), public_pem(KEY), NOW)
    engine.apply_deltas(update.deltas)
    assert [_routed(engine, "GET"), _routed(engine, "PUT")] == [None, ("r2", "doc-x")]
    assert engine.gateway == GatewaySettings(GatewaySubject("X-Subject"), ("10.0.0.0/8",))


def _routed(engine: Engine, method: str) -> tuple[str, str] | None:
    found = engine.routes.match("a.example", method, read_target("/d/x"))
    return None if found is None else (found.route.id, found.identifier)


def test_a_newer_format_is_refused_in_one_sentence(tmp_path: Path) -> None:
    content = bytearray((FOLDER / f"{VERSION}.bundle").read_bytes())
    fields = list(HEADER.unpack_from(content))
    assert fields[0] == MAGIC
    fields[1] = VERSION + 1
    struct.pack_into(HEADER.format, content, 0, *fields)
    path = tmp_path / "newer.bundle"
    path.write_bytes(content)
    for opened in (lambda: Engine.open(path), lambda: open_verified_bundle(path, public_pem(KEY), PROD.uuid, NOW)):
        with pytest.raises(
            BundleError, match=f"has format {VERSION + 1}, but this Writ reads only formats up to {VERSION}"
        ) as found:
            opened()
        assert "\n" not in str(found.value)
