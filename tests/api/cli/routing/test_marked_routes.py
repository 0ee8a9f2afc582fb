"""Routes for requests without a credential (E11), in every form of a model and in `writ routes test`."""

import json
from pathlib import Path
from typing import Any

from writ.api.store.actor import Actor
from writ.api.store.store import Store
from writ.bundles.routing.settings import AnonymousSubject, GatewaySettings, GatewaySubject

from tests.support.command import writ

ROUTE = {"id": "r", "methods": ["GET"], "path": "/{id}", "resource_type": "page", "action": "read", "anonymous": True}
MODEL: dict[str, Any] = {"model": 1, "resource_types": [{"id": "page", "actions": ["read"]}], "routes": [ROUTE]}
PLAIN = GatewaySettings(GatewaySubject(header="X-User"))
NAMED = GatewaySettings(GatewaySubject(header="X-User"), anonymous=AnonymousSubject("visitor", "anyone"))


def test_every_form_of_a_model_says_it(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    for name, form in (("model.writ", "writ"), ("model.yaml", "yaml")):
        assert writ("convert", "model.json", "--as", form, "-o", name, cwd=tmp_path).returncode == 0
        back = writ("convert", name, "--as", "json", cwd=tmp_path)
        assert json.loads(back.stdout)["routes"] == [ROUTE]
    assert "GET /{id} anonymous\n" in (tmp_path / "model.writ").read_text()


def test_the_command_shows_the_mark_and_warns_without_the_setting(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    assert writ("import", "model.json", "--data", "data", cwd=tmp_path).returncode == 0
    line = ["routes", "test", "GET", "/p1", "--data", "data", "--format", "json"]
    store = Store.open(tmp_path / "data")
    try:
        for settings, warned in ((PLAIN, True), (NAMED, False)):
            store.change_gateway(Actor("tester"), "default", settings)
            shown = json.loads(writ(*line, cwd=tmp_path).stdout)
            assert (shown["anonymous"], "warning" in shown) == (True, warned)
    finally:
        store.close()
