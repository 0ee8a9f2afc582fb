"""`writ filter`: searches in, filters out, line by line."""

import json

import pytest

from tests.support.bundling import bundle_file
from tests.support.command import writ

DOCUMENT = {
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "grants": [
        {
            "id": "g",
            "subject": {"type": "user", "id": "alice"},
            "resource": {"type": "document", "id": "d1"},
            "actions": ["read"],
            "expires_at": "2026-01-01T00:00:00Z",
        }
    ],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "status", "op": "eq", "value": "public"}]},
        }
    ],
}
ASK = {"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"}, "resource": {"type": "document"}}
PUBLIC = {"type": "field", "field": "status", "operator": "eq", "value": "public"}


@pytest.fixture
def bundle(tmp_path):
    return bundle_file(DOCUMENT, tmp_path / "model.bundle")


def test_filters_in_order(bundle):
    asks = [ASK, ASK | {"action": {"name": "write"}}, ASK | {"options": {"include_direct": True}}]
    done = writ(
        "filter",
        bundle,
        "--now",
        "2025-06-01T00:00:00Z",
        stdin="".join(f"{json.dumps(ask)}\n" for ask in asks).encode(),
    )
    assert done.returncode == 0
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    granted = {"type": "field", "field": "id", "operator": "eq", "value": "d1"}
    assert [answer["filter"] for answer in answers] == [
        PUBLIC,
        {"type": "const", "value": False},
        {"type": "logical", "operator": "or", "conditions": [granted, PUBLIC]},
    ]
    assert [answer["context"]["access_paths"] for answer in answers] == [["direct", "abac"], [], ["direct", "abac"]]


def test_the_instant_tells_what_has_expired(bundle):
    done = writ("filter", bundle, "--now", "2026-01-01T00:00:00Z", stdin=json.dumps(ASK).encode())
    assert json.loads(done.stdout)["context"]["access_paths"] == ["abac"]


def test_a_bad_line_is_answered_and_the_rest_goes_on(bundle):
    done = writ("filter", bundle, stdin=b'{"subject": 1}\n\n' + json.dumps(ASK).encode())
    bad, good = map(json.loads, done.stdout.splitlines())
    assert done.returncode == 1
    assert bad["line"] == 1
    assert "$.subject" in bad["error"]
    assert good["filter"] == PUBLIC
