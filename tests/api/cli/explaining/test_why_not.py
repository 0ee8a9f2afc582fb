"""`writ explain` says which changes would allow a denied request (D11)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.bundling import bundle_file
from tests.support.command import writ

SCOPE = {"resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}


def when(key: str, value: Any) -> list[dict[str, Any]]:
    return [{"key": key, "op": "eq", "value": value}]


MODEL: dict[str, Any] = {
    "resource_types": [{"id": "document", "actions": ["read"], "closed": True}],
    "roles": [{"id": "editor"}, {"id": "guest"}],
    "assignments": [{"role": "guest", "subject": {"type": "user", "id": "bob"}}],
    "resources": [{"type": "document", "id": "d1"}],
    "policies": [
        {"id": "edit", "effect": "ALLOW", "roles": ["editor"], "conditions": {"context_attrs": when("mfa", True)}}
        | SCOPE,
        {"id": "draft", "effect": "ALLOW", "conditions": {"resource_attrs": when("status", "draft")}} | SCOPE,
        {"id": "no-guests", "effect": "DENY", "except_roles": ["editor"], "roles": ["guest"]} | SCOPE,
    ],
}
ASKED = {
    "subject": {"type": "user", "id": "bob"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle_file(MODEL, tmp_path_factory.mktemp("why_not") / "m.bundle")


def explained(bundle: Path, asked: dict[str, Any], *options: str) -> str:
    done = writ("explain", bundle, *options, stdin=json.dumps(asked).encode())
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def test_the_sentences_name_who_changes_what(bundle: Path) -> None:
    lines = explained(bundle, ASKED).split("Each of these alone would allow it:\n")[1].splitlines()
    assert [line for line in lines if line] == [
        "  - the caller sets `context.mfa` to true and an administrator gives the subject the role `editor`",
        (
            '  - the owner of the resource sets `resource.status` to "draft" and an administrator disables the policy '
            "`no-guests`"
        ),
        (
            '  - the owner of the resource sets `resource.status` to "draft" and an administrator gives the '
            "subject the role `editor`"
        ),
        (
            '  - the owner of the resource sets `resource.status` to "draft" and an administrator takes the role '
            "`guest` from the subject"
        ),
        "  - an administrator grants the action on the resource to the subject and disables the policy `no-guests`",
        "  - an administrator grants the action on the resource to the subject and gives the subject the role `editor`",
        (
            "  - an administrator grants the action on the resource to the subject and takes the role `guest` from the "
            "subject"
        ),
    ]


def test_the_json_has_the_sets(bundle: Path) -> None:
    found = json.loads(explained(bundle, ASKED, "--format", "json"))["context"]["explanation"]["why_not"]
    assert (found["complete"], found["up_to"], len(found["sets"])) == (True, 4, 7)
    assert found["sets"][0] == {
        "who": ["caller", "administrator"],
        "changes": [
            {"who": "caller", "kind": "attribute", "path": "context.mfa", "value": True},
            {"who": "administrator", "kind": "role", "role": "editor", "change": "give"},
        ],
    }


def test_an_unregistered_resource_of_a_closed_type_is_registered_first(bundle: Path) -> None:
    unknown = ASKED | {"resource": {"type": "document", "id": "d2"}, "context": {"mfa": True}}
    found = json.loads(explained(bundle, unknown, "--format", "json"))["context"]["explanation"]["why_not"]
    kinds = [[change["kind"] for change in one["changes"]] for one in found["sets"]]
    assert ["register", "role"] in kinds
    assert all({"register", "grant"} & set(one) for one in kinds)


def test_what_is_allowed_or_undeclared_has_no_sets(bundle: Path) -> None:
    allowed = ASKED | {"subject": {"type": "user", "id": "eve"}}
    allowed["resource"] = {"type": "document", "id": "d1", "properties": {"status": "draft"}}
    assert "why_not" not in explained(bundle, allowed, "--format", "json")
    undeclared = ASKED | {"action": {"name": "fly"}}
    found = json.loads(explained(bundle, undeclared, "--format", "json"))["context"]["explanation"]["why_not"]
    assert found == {"sets": [], "complete": True, "up_to": 4, "undeclared": True}
    assert "would allow" not in explained(bundle, undeclared)
