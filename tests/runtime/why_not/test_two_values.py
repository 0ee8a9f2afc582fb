"""A comparison of two values may need both to change."""

from pathlib import Path
from typing import Any

from tests.support.bundling import engine_for
from tests.support.changes import allows

SCOPE = {"resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}
ASKED: dict[str, Any] = {
    "subject": {"type": "user", "id": "bob"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}


def test_both_sides_of_a_reference_change(tmp_path: Path) -> None:
    condition = {"key": "tenant", "op": "eq", "value_of": "context.tenant"}
    model: dict[str, Any] = {
        "model": 1,
        "extensions": ["references"],
        "resource_types": [{"id": "document", "actions": ["read"]}],
        "policies": [{"id": "p", "effect": "ALLOW", "conditions": {"resource_attrs": [condition]}} | SCOPE],
    }
    engine = engine_for(model, tmp_path / "m.bundle")
    sets = [one["changes"] for one in engine.why_not(ASKED, 0.0)["sets"]]
    paths = [[change.get("path", change["kind"]) for change in changes] for changes in sets]
    assert paths == [["context.tenant", "resource.tenant"], ["grant"]]
    assert all(allows(model, ASKED, changes, 0.0) for changes in sets)
    sent = ASKED | {"context": {"tenant": "acme"}}
    (owner, _) = engine.why_not(sent, 0.0)["sets"]
    assert [(one["path"], one["value"]) for one in owner["changes"]] == [("resource.tenant", "acme")]
