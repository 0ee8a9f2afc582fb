"""The declared attributes of an environment over HTTP."""

from pathlib import Path

import pytest

from tests.support.managed import MEMBERS, ROOT, Managed

PATH = f"{ROOT}/attributes"
ATTRIBUTES = {"context": {"mfa": "boolean"}}


@pytest.fixture
def client(tmp_path: Path):
    made = Managed(tmp_path)
    made.create_all()
    yield made
    made.store.close()


def test_they_are_put_read_patched_and_removed(client: Managed) -> None:
    assert client.simulate_get(PATH).status_code == 404
    added = client.simulate_put(PATH, json=ATTRIBUTES)
    assert (added.status_code, added.json) == (201, ATTRIBUTES)
    assert client.simulate_put(PATH, json=ATTRIBUTES).status_code == 200
    read = client.simulate_get(PATH)
    assert (read.json, read.headers["etag"]) == (ATTRIBUTES, added.headers["etag"])
    assert client.simulate_get(PATH, headers={"If-None-Match": read.headers["etag"]}).status_code == 304
    patched = client.simulate_patch(PATH, json={"action": {"reason": "string"}})
    assert patched.json == ATTRIBUTES | {"action": {"reason": "string"}}
    assert client.simulate_delete(PATH, headers={"If-Match": read.headers["etag"]}).status_code == 412
    assert client.simulate_delete(PATH).status_code == 204
    assert client.simulate_get(PATH).status_code == 404


def test_a_conditional_put_adds_only_what_is_not_there(client: Managed) -> None:
    new = {"If-None-Match": "*"}
    added = client.simulate_put(PATH, json=ATTRIBUTES, headers=new)
    assert (added.status_code, added.headers["location"]) == (201, PATH)
    assert client.simulate_put(PATH, json={}, headers=new).status_code == 412
    assert client.simulate_put(PATH, json={}, headers={"If-Match": '"other"'}).status_code == 412


def test_faults_are_told_with_their_place(client: Managed) -> None:
    answer = client.simulate_put(PATH, json={"context": {"mfa": "flag"}})
    assert answer.status_code == 400
    assert [(one["code"], one["path"]) for one in answer.json["details"]] == [("unknown-value", "$.context.mfa")]
    client.simulate_put(PATH, json=ATTRIBUTES)
    wrong = {"context_attrs": [{"key": "mfaa", "op": "eq", "value": True}]}
    refused = client.simulate_patch(f"{ROOT}/policies/{MEMBERS['policies']['id']}", json={"conditions": wrong})
    assert [(one["code"], one["path"]) for one in refused.json["details"]] == [
        ("unknown-attribute", "$.conditions.context_attrs[0].key")
    ]
    assert "did you mean `mfa`?" in refused.text


@pytest.mark.parametrize("path", [f"{ROOT}/lints/expired", f"{PATH}/attributes", f"{PATH}:batch"])
def test_there_is_nothing_else(client: Managed, path: str) -> None:
    assert client.simulate_get(path).status_code == 404


def test_a_null_inside_a_declared_value_is_a_fault(tmp_path: Path) -> None:
    """The declarations of a faulty type may be compared before the type is refused."""
    client = Managed(tmp_path)
    client.create_all()
    attributes = {"k": {"kind": "array", "one_of": [[{"a": None}], {}]}}
    answer = client.simulate_post(
        f"{ROOT}/resource-types", json={"id": "d", "actions": ["r"], "attributes": attributes}
    )
    client.store.close()
    assert answer.status_code == 400
    assert answer.json["details"][0]["code"] == "null-constant"
