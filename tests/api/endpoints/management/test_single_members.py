"""The extensions and the mode of requests of an environment over HTTP. Bodies are what a model document says."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.managed import ROOT, Managed

EXTENSIONS, REQUESTS = f"{ROOT}/extensions", f"{ROOT}/requests"
VALUES = {EXTENSIONS: ["references", "now"], REQUESTS: "strict"}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Managed]:
    made = Managed(tmp_path)
    made.create_all()
    yield made
    made.store.close()


@pytest.mark.parametrize("path", VALUES)
def test_one_is_put_read_and_removed(client: Managed, path: str) -> None:
    value = VALUES[path]
    assert client.simulate_get(path).status_code == 404
    added = client.simulate_put(path, json=value, headers={"If-None-Match": "*"})
    assert (added.status_code, added.json, added.headers["location"]) == (201, value, path)
    assert client.simulate_put(path, json=value, headers={"If-None-Match": "*"}).status_code == 412
    read = client.simulate_get(path)
    assert (read.json, read.headers["etag"]) == (value, added.headers["etag"])
    assert client.simulate_get(path, headers={"If-None-Match": read.headers["etag"]}).status_code == 304
    assert client.simulate_put(path, json=value).status_code == 200
    assert client.simulate_get(f"{ROOT}/model").json[path.rpartition("/")[2]] == value
    assert client.simulate_delete(path, headers={"If-Match": '"other"'}).status_code == 412
    assert client.simulate_delete(path).status_code == 204
    assert client.simulate_get(path).status_code == 404


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        (EXTENSIONS, ["now", "nwo"], ("unknown-value", "$[1]")),
        (EXTENSIONS, "now", ("wrong-type", "$")),
        (EXTENSIONS, {"names": ["now"]}, ("wrong-type", "$")),
        (EXTENSIONS, None, ("wrong-type", "$")),
        (REQUESTS, "lax", ("unknown-value", "$")),
        (REQUESTS, {"mode": "strict"}, ("wrong-type", "$")),
        (REQUESTS, 5, ("wrong-type", "$")),
        (REQUESTS, None, ("wrong-type", "$")),
    ],
)
def test_a_fault_is_told_with_its_place(client: Managed, path: str, value: Any, fault: tuple[str, str]) -> None:
    answer = client.simulate_put(path, body=json.dumps(value), headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert [(one["code"], one["path"]) for one in answer.json["details"]] == [fault]
    assert client.simulate_get(path).status_code == 404


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("", "empty-body"),
        ("[", "invalid-json"),
        ('"\\x"', "invalid-json"),
        (b'["\xff"]', "invalid-json"),
        ('[{"a": 1, "a": 1}]', "duplicate-member"),
        ("[" * 100 + "]" * 100, "too-deep"),
        ("[" * 100_000, "too-deep"),
    ],
)
def test_a_body_that_is_no_value_is_refused(client: Managed, body: Any, code: str) -> None:
    answer = client.simulate_put(EXTENSIONS, body=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json["details"][0]["code"] == code
    assert client.simulate_put(EXTENSIONS, body="[]", headers={"Content-Type": "text/plain"}).status_code == 415


@pytest.mark.parametrize("path", VALUES)
def test_only_an_object_can_be_patched(client: Managed, path: str) -> None:
    assert client.simulate_patch(path, json={}).status_code == 405
    assert client.simulate_post(path, json=VALUES[path]).status_code == 405
    assert client.simulate_get(f"{path}/x").status_code == 404
