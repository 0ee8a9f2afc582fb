"""Routes that take their action or id from a header that the gateway sets: what it says counts, or nothing does."""

import json
from pathlib import Path
from typing import Any

import pytest
from writ.api.endpoints.gateway.gateway_subjects import Asking
from writ.api.endpoints.gateway.headers import GatewayRefused, Headers
from writ.api.endpoints.gateway.original import Original
from writ.api.endpoints.gateway.question import question_of
from writ.api.store.actor import Actor
from writ.api.store.store import Store
from writ.bundles.routing.settings import GatewaySettings, GatewaySubject, settings_faults
from writ.runtime import Engine

from tests.support.bundling import engine_for
from tests.support.command import writ

SETTINGS = GatewaySettings(GatewaySubject(header="X-Writ-Subject"), gateway_headers=("x-operation", "X-Report"))
ROUTE = {
    "id": "graphql",
    "methods": ["POST"],
    "path": "/graphql",
    "resource_type": "report",
    "action": "header:X-Operation",
    "resource_id": "header:X-Report",
}
MODEL: dict[str, Any] = {
    "resource_types": [{"id": "report", "actions": ["run", "drop"]}],
    "policies": [
        {"id": "all", "effect": "ALLOW", "resource_types": [{"resource_type_id": "report", "actions": ["run"]}]}
    ],
    "routes": [ROUTE],
}
GOOD = [(b"X-Operation", b"run"), (b"x-report", b"r1")]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return engine_for(MODEL, tmp_path_factory.mktemp("said") / "b")


def asked(
    engine: Engine, fields: list[tuple[bytes, bytes]], settings: GatewaySettings = SETTINGS, trusted: bool = True
) -> dict[str, Any]:
    original = Original("POST", "shop.example", "/graphql", None, None)
    asker = Asking({"type": "user", "id": "alice"}, {})
    return question_of(original, asker, Headers.of(fields), settings, engine, trusted)


def test_the_gateway_says_the_action_and_the_id(engine: Engine) -> None:
    question = asked(engine, GOOD)
    assert (question["action"], question["resource"]) == ({"name": "run"}, {"type": "report", "id": "r1"})
    assert engine.decide(question)["decision"] is True
    other = asked(engine, [(b"X-Operation", b"drop"), (b"x-report", b"r2")])
    assert (other["resource"]["id"], engine.decide(other)["decision"]) == ("r2", False)


@pytest.mark.parametrize(
    ("fields", "settings", "trusted", "sentence"),
    [
        (GOOD[1:], SETTINGS, True, "`X-Operation` is missing"),
        ([(b"x-operation", b""), GOOD[1]], SETTINGS, True, "`X-Operation` is missing"),
        ([*GOOD, (b"X-OPERATION", b"run")], SETTINGS, True, "`X-Operation` is sent twice"),
        (GOOD[:1], SETTINGS, True, "`X-Report` is missing"),
        (GOOD, SETTINGS, False, "believed from trusted proxies only"),
        (GOOD, GatewaySettings(SETTINGS.subject), True, "not in the `gateway_headers` of the settings"),
        (GOOD, GatewaySettings(SETTINGS.subject, gateway_headers=("x-operation",)), True, "takes `X-Report`"),
    ],
)
def test_anything_else_is_refused(
    engine: Engine, fields: list[tuple[bytes, bytes]], settings: GatewaySettings, trusted: bool, sentence: str
) -> None:
    with pytest.raises(GatewayRefused, match=sentence):
        asked(engine, fields, settings, trusted)


@pytest.mark.parametrize(
    ("named", "path"),
    [
        (("Authorization",), ("gateway_headers", 0)),
        (("X-A", "x-a"), ("gateway_headers", 1)),
        (("X-Writ-Subject",), ("gateway_headers", 0)),
        (("a b",), ("gateway_headers", 0)),
        (tuple(f"X-{n}" for n in range(101)), ("gateway_headers",)),
    ],
)
def test_the_faults_of_the_settings(named: tuple[str, ...], path: tuple[str | int, ...]) -> None:
    faults = settings_faults(GatewaySettings(SETTINGS.subject, gateway_headers=named))
    assert [fault.path for fault in faults] == [path]


@pytest.mark.parametrize("member", ["action", "resource_id"])
@pytest.mark.parametrize("text", ["header:", "header:a b", "header:{id}"])
def test_a_header_needs_a_name(tmp_path: Path, member: str, text: str) -> None:
    (tmp_path / "model.json").write_text(json.dumps({"model": 1} | MODEL | {"routes": [ROUTE | {member: text}]}))
    done = writ("check", "model.json", "--format", "json", cwd=tmp_path)
    (found,) = [one for one in json.loads(done.stdout) if one["severity"] == "error"]
    assert (done.returncode, found["code"], found["path"]) == (1, "bad-template", f"$.routes[0].{member}")


def test_every_form_of_a_model_says_it(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(json.dumps({"model": 1} | MODEL))
    for name, form in (("model.writ", "writ"), ("model.yaml", "yaml")):
        assert writ("convert", "model.json", "--as", form, "-o", name, cwd=tmp_path).returncode == 0
        back = writ("convert", name, "--as", "json", cwd=tmp_path)
        assert json.loads(back.stdout)["routes"] == [ROUTE]
    assert 'means "header:X-Operation" report "header:X-Report"' in (tmp_path / "model.writ").read_text()


def test_the_command_shows_what_the_gateway_would_say(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(json.dumps({"model": 1} | MODEL))
    assert writ("compile", "model.json", "-o", "b", cwd=tmp_path).returncode == 0
    line = ["routes", "test", "POST", "/graphql", "b", "--format", "json"]
    answer = json.loads(writ(*line, "--header", "x-operation:run", cwd=tmp_path).stdout)
    assert (answer["action"], answer["resource"]) == ("run", {"type": "report", "id": "header:X-Report"})
    assert "warning" not in answer, "a bundle that was compiled from files has no settings"


def test_the_command_warns_of_a_header_that_no_settings_list(tmp_path: Path) -> None:
    """The settings of a store are known: without the list, each gateway gets 403."""
    (tmp_path / "model.json").write_text(json.dumps({"model": 1} | MODEL))
    assert writ("import", "model.json", "--data", "data", cwd=tmp_path).returncode == 0
    line = ["routes", "test", "POST", "/graphql", "--data", "data", "--format", "json"]
    store = Store.open(tmp_path / "data")
    try:
        for settings, warned in ((GatewaySettings(SETTINGS.subject), True), (SETTINGS, False)):
            store.change_gateway(Actor("tester"), "default", settings)
            assert ("warning" in json.loads(writ(*line, cwd=tmp_path).stdout)) is warned
    finally:
        store.close()
