"""`/healthz` and `/readyz`."""

import logging
import re
from importlib.metadata import version
from pathlib import Path

import falcon.asgi
import pytest
from falcon import testing
from writ.api.endpoints.decisions.draining import Draining
from writ.api.endpoints.decisions.health import Readiness
from writ.api.engines.live.bundle_files import BundleFiles
from writ.api.engines.live.live_engines import LiveEngines
from writ.api.store.database.schema import MIGRATIONS
from writ.api.store.store import Store
from writ.bundles.file.header import VERSION


def test_healthz_answers_anybody(app: testing.TestClient) -> None:
    answer = testing.TestClient(app.app).simulate_get("/healthz", headers={"X-Request-ID": "7"})
    formats = {"store": len(MIGRATIONS), "bundle": VERSION}
    assert answer.status_code == 200
    assert answer.json == {"status": "ok", "version": version("writ-pdp"), "formats": formats}
    assert answer.headers["X-Request-ID"] == "7"


def test_readyz_tells_what_is_decided_from(app: testing.TestClient) -> None:
    answer = testing.TestClient(app.app).simulate_get("/readyz")
    assert answer.status_code == 200
    assert answer.json["status"] == "ready"
    bundle = answer.json["bundle"]
    assert (bundle["epoch"], bundle["revision"]) == (0, 0)
    assert re.fullmatch("[0-9a-f]{64}", bundle["source"])


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_head_is_get_without_the_body(app: testing.TestClient, path: str) -> None:
    get, head = app.simulate_get(path), app.simulate_head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == str(len(get.content))


def test_readyz_tells_nobody_where_the_store_is(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Anybody may ask; the log has it for the operator."""
    store = Store.open(tmp_path / "data")
    files = BundleFiles(tmp_path / "data", store)
    files.build("default").unlink()
    live_engines = LiveEngines(store, files, 5.0, logging.getLogger("tests"))
    app = falcon.asgi.App()
    app.add_route("/readyz", Readiness(live_engines.engine, Draining()))
    for reason, logged in (("it has no bundle yet, or lost it", False), ("the store can't be read", True)):
        answer = testing.TestClient(app).simulate_get("/readyz")
        assert answer.status_code == 503
        assert answer.json == {"status": "failing", "error": f"nothing can be decided in `default`: {reason}"}
        assert (str(store.path) in caplog.text) is logged
        live_engines.close()
        store.close()
        store.path.write_bytes(b"\xff" * 10_000)
