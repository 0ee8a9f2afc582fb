"""Proofs and explanations of references whose values were not compared: the attribute or the policy came first."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.bundling import bundle_file
from tests.support.command import writ

SCOPE = {"resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}


def compared(key: str, op: str, value_of: str) -> dict[str, Any]:
    return {"conditions": {"resource_attrs": [{"key": key, "op": op, "value_of": value_of}]}}


MODEL: dict[str, Any] = {
    "extensions": ["references", "now"],
    "attributes": {"context": {"region": {"kind": "string", "required": True}, "time": "string"}},
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "roles": [{"id": "editor"}],
    "groups": [{"id": "eng", "members": [{"type": "user", "id": "alice"}]}],
    "policies": [
        {"id": "a-tenant", "effect": "DENY", **SCOPE, **compared("tenant", "ne", "subject.tenant")},
        {"id": "b-region", "effect": "DENY", **SCOPE, **compared("region", "ne", "context.region")},
        {"id": "c-team", "effect": "ALLOW", **SCOPE, **compared("team", "in", "subject.groups")},
        {"id": "d-time", "effect": "ALLOW", **SCOPE, **compared("until", "gt", "now")},
        {"id": "e-role", "effect": "ALLOW", "roles": ["editor"], **SCOPE, **compared("owner", "eq", "subject.id")},
    ],
}
ASKED = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
    "context": {"region": "eu", "time": "soon"},
    "options": {"explain": True},
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle_file(MODEL, tmp_path_factory.mktemp("references") / "m.bundle")


def decided(bundle: Path, asked: dict[str, Any]) -> dict[str, Any]:
    done = writ("decide", bundle, stdin=json.dumps(asked).encode())
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def explained(bundle: Path, asked: dict[str, Any]) -> list[str]:
    done = writ("explain", bundle, stdin=json.dumps(asked).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    return [line.removeprefix("  - ") for line in done.stdout.decode().splitlines()]


def test_a_missing_attribute_is_looked_at_first(bundle: Path) -> None:
    """X2: the proof says what the comparison refers to, and no DENY holds although its reference can't be read."""
    answer = decided(bundle, ASKED)
    assert answer["context"]["reason_code"] == "CONDITION_FAILED"
    found = {one["id"]: one["conditions"][0] for one in answer["context"]["explanation"]["candidates"]}
    common = {"section": "resource_attrs", "missing": True, "holds": False}
    assert found == {
        "a-tenant": {"key": "tenant", "op": "ne", "value": None, "value_of": "subject.tenant", **common},
        "b-region": {"key": "region", "op": "ne", "value": "eu", "value_of": "context.region", **common},
        "c-team": {"key": "team", "op": "in", "value": ["eng"], "value_of": "subject.groups", **common},
        "d-time": {"key": "until", "op": "gt", "value": "soon", "value_of": "now", **common},
    }


def test_the_words_for_what_was_not_compared(bundle: Path) -> None:
    said = explained(bundle, ASKED)
    for words in (
        "no `tenant` of the resource, and the policy requires it to differ from the `tenant` of the subject (missing).",
        'no `region` of the resource, and the policy requires it to differ from the `region` of the context ("eu").',
        'no `team` of the resource, and the policy requires it to be one of the groups of the subject ("eng").',
        'no `until` of the resource, and the policy requires an instant after the time of the request ("soon").',
    ):
        assert f"The request sends {words}" in said


def test_a_policy_that_is_not_tried_shows_no_value(bundle: Path) -> None:
    """D10: without the role, nothing of the policy is compared."""
    answer = decided(bundle, ASKED | {"resource": {"type": "document", "id": "d1", "properties": {"owner": "alice"}}})
    assert answer["context"]["explanation"]["lacking"] == [{"id": "e-role", "roles": ["editor"]}]
    said = explained(bundle, ASKED)
    assert not [one for one in said[: said.index("Each of these alone would allow it:")] if "owner" in one]


def test_a_required_value_comes_before_the_attribute(bundle: Path) -> None:
    """C12 covers both sides of a reference: the DENY holds although its attribute is missing too."""
    asked = ASKED | {"context": {}}
    answer = decided(bundle, asked)
    assert (answer["context"]["reason_code"], answer["context"]["denied_by"]) == ("EXPLICIT_DENY", "b-region")
    [proof] = [one for one in answer["context"]["explanation"]["candidates"] if one["id"] == "b-region"]
    assert proof["conditions"][0] == {
        "section": "resource_attrs",
        "key": "region",
        "op": "ne",
        "value": None,
        "missing": True,
        "holds": True,
        "value_of": "context.region",
    }
    assert (
        "The request sends no `region` of the resource, and the `region` of the context is missing, "
        "which the model requires, so the DENY holds."
    ) in explained(bundle, asked)
