"""Every error has one shape, and tells nothing of the inside (W8; authzen.md 70-72, 76-78, 101)."""

import logging
from types import SimpleNamespace
from typing import Any

import pytest
from falcon import testing
from writ.api.settings.settings import HttpLimits
from writ.runtime import BundleError, Engine

from tests.api.conftest import ALLOWED, client_of

SECRET = "a-value-of-the-request"
LIMITS = HttpLimits(body_bytes=600, nesting=4, string_bytes=100, key_characters=20, batch_items=2)
JSON = {"Content-Type": "application/json"}
SINGLE, BATCH = "/access/v1/evaluation", "/access/v1/evaluations"
DEEP = b'{"a":' * 900 + b"1" + b"}" * 900


class Broken:
    """An engine that fails while it decides."""

    manifest = SimpleNamespace(environment=None)
    revision_token = None

    def __init__(self, error: Exception) -> None:
        self._error = error

    def pinned(self) -> "Broken":
        return self

    held = pinned

    def refuse_faults(self, kind: str, request: dict[str, Any]) -> None:
        """No request is strict."""

    def is_strict_for(self, request: dict[str, Any]) -> bool:
        return False

    def decide(self, request: dict[str, Any], now: float | None = None) -> dict[str, Any]:
        raise self._error

    decide_item = decide


@pytest.mark.parametrize("path", [SINGLE, BATCH])
@pytest.mark.parametrize(
    ("headers", "body", "status", "code"),
    [
        ({}, b"{}", 400, "content-type"),
        ({"Content-Type": "text/plain"}, b"{}", 400, "content-type"),
        ({"Content-Type": "application/x-www-form-urlencoded"}, b"a=b", 400, "content-type"),
        (JSON, b"", 400, "empty-body"),
        (JSON, b"{", 400, "invalid-json"),
        (JSON, b'{"a": "\xff"}', 400, "invalid-json"),
        (JSON, b"[]", 400, "not-an-object"),
        (JSON, b'"x"', 400, "not-an-object"),
        (JSON, b'{"a":{"b":{"c":{"d":{}}}}}', 400, "too-deep"),
        (JSON, b'{"a": "' + b"x" * 101 + b'"}', 400, "string-too-long"),
        (JSON, b'{"' + b"k" * 21 + b'": 1}', 400, "key-too-long"),
        (JSON, b" " * 601, 413, "body-too-large"),
        (JSON, b"{}", 400, "invalid-request"),
        (JSON, b'{"subject": "alice"}', 400, "invalid-request"),
    ],
)
def test_a_rejected_body_is_answered_in_one_shape(
    engine: Engine, path: str, headers: dict[str, str], body: bytes, status: int, code: str
) -> None:
    answer = client_of(engine, LIMITS).simulate_post(path, headers=headers | {"X-Request-ID": "7"}, body=body)
    assert answer.status_code == status
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Request-ID"] == "7"
    assert answer.json.keys() == {"error", "details"}
    assert [detail.keys() for detail in answer.json["details"]] == [{"code", "path", "message"}]
    assert answer.json["details"][0]["code"] == code
    assert "\n" not in answer.json["error"]


def test_the_place_and_the_numbers_are_told(engine: Engine) -> None:
    client = client_of(engine, LIMITS)
    answer = client.simulate_post(SINGLE, headers=JSON, body=b'{"subject": {"type": "user"}}')
    assert answer.json["details"][0]["path"] == "$.resource"
    answer = client.simulate_post(SINGLE, headers=JSON, body=b" " * 700)
    assert answer.json["error"] == "the body has 700 bytes, the limit is 600"
    answer = client.simulate_post(BATCH, json={"evaluations": [{}, {}, {}]})
    assert answer.json["error"] == "`evaluations` has 3 items, the limit is 2"


def test_json_beyond_the_parser_is_400(engine: Engine) -> None:
    for depth_limit in (32, 500):
        client = client_of(engine, HttpLimits(nesting=depth_limit))
        answer = client.simulate_post(SINGLE, headers=JSON, body=DEEP)
        assert answer.status_code == 400
        assert answer.json["error"].startswith(f"the body nests deeper than {depth_limit} levels")


@pytest.mark.parametrize("path", ["/", "/access", "/access/v1", "/access/v1/evaluation/", "/access/v2/evaluation"])
def test_an_unknown_path_is_404(app: testing.TestClient, path: str) -> None:
    answer = app.simulate_post(path, json=ALLOWED, headers={"X-Request-ID": "7"})
    assert (answer.status_code, answer.json) == (404, {"error": "there is no such path"})
    assert answer.headers["X-Request-ID"] == "7"


def test_a_failure_inside_is_500_and_keeps_the_request_to_itself(caplog: pytest.LogCaptureFixture) -> None:
    client = client_of(Broken(LookupError(SECRET)))
    answer = client.simulate_post(SINGLE, json=ALLOWED | {"context": {"x": SECRET}}, headers={"X-Request-ID": "7"})
    assert answer.status_code == 500
    assert answer.json == {"error": "the service failed; treat this as a denial"}
    assert answer.headers["X-Request-ID"] == "7"
    assert "LookupError" in caplog.text
    frames = caplog.records[-1].frames  # type: ignore[attr-defined]  # an attribute of ours
    assert "in decide" in frames
    assert SECRET not in caplog.text + frames


def test_a_failure_inside_an_item_is_that_item_s(caplog: pytest.LogCaptureFixture) -> None:
    client = client_of(Broken(LookupError(SECRET)))
    answer = client.simulate_post(BATCH, json={"evaluations": [ALLOWED, ALLOWED | {"context": {"x": SECRET}}]})
    assert answer.status_code == 200
    errors = [item["context"]["error"] for item in answer.json["evaluations"]]
    assert [item["decision"] for item in answer.json["evaluations"]] == [False, False]
    assert [error["status"] for error in errors] == [500, 500]
    assert SECRET not in answer.text
    assert SECRET not in caplog.text
    assert caplog.text.count("LookupError") == 2


def test_a_damaged_bundle_is_500_and_the_log_says_why(caplog: pytest.LogCaptureFixture) -> None:
    client = client_of(Broken(BundleError("the bundle is damaged: section `grants` does not match its checksum")))
    answer = client.simulate_post(SINGLE, json=ALLOWED)
    assert answer.status_code == 500
    assert "checksum" not in answer.text
    assert "section `grants` does not match its checksum" in caplog.text


def test_a_refused_request_is_not_logged(app: testing.TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        app.simulate_post(SINGLE, headers=JSON, body=SECRET.encode())
        app.simulate_post(SINGLE, json={"subject": {"type": SECRET}})
        app.simulate_post(f"/{SECRET}")
    assert SECRET not in caplog.text
