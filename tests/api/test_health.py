"""`/healthz` and `/readyz`."""

import re

import pytest
from falcon import testing


def test_healthz_answers_anybody(app: testing.TestClient) -> None:
    answer = testing.TestClient(app.app).simulate_get("/healthz", headers={"X-Request-ID": "7"})
    assert (answer.status_code, answer.json) == (200, {"status": "ok"})
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
