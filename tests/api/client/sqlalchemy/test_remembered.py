"""A condition is remembered for a revision, a subject, an action and a class, unless time can change it (F7)."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.dialects import sqlite
from writ.bundles.file.reader import open_bundle
from writ.runtime import Engine
from writ.sqlalchemy import permitted, remembered

from tests.support.authorized_rows import Document, Folder
from tests.support.bundling import bundle_file

START = datetime(2030, 1, 1, tzinfo=UTC).timestamp()
ALICE, BOB = ({"type": "user", "id": id} for id in ("alice", "bob"))
TYPES = [{"id": "document", "actions": ["read", "update"]}, {"id": "folders", "actions": ["read", "update"]}]


def model(action: str, **more: Any) -> dict[str, Any]:
    """Owners may do one action."""
    conditions = {"resource_attrs": [{"key": "owner", "op": "eq", "value_of": "subject.id"}]}
    types = [{"resource_type_id": one["id"], "actions": [action]} for one in TYPES]
    policies = [{"id": "p", "effect": "ALLOW", "resource_types": types, "conditions": conditions}]
    return {"extensions": ["references"], "resource_types": TYPES, "policies": policies, **more}


def shown(condition: Any) -> str:
    """The condition of SQLite with its values."""
    return str(condition.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))


def test_each_question_has_its_own(tmp_path: Path) -> None:
    engine = Engine(open_bundle(bundle_file(model("read"), tmp_path / "one.bundle")))
    for _ in range(2):
        assert "'alice'" in shown(permitted(Document, engine, ALICE, "read"))
        assert "'bob'" in shown(permitted(Document, engine, BOB, "read"))
        assert "folders.owner" in shown(permitted(Folder, engine, ALICE, "read"))
        assert "owner" not in shown(permitted(Document, engine, ALICE, "update"))
    first = permitted(Document, engine, ALICE, "read")
    assert permitted(Document, engine, dict(ALICE), "read") is first
    for more in ({"context": {"mfa": True}}, {"now": START}, {"actor": BOB}, {"fields": {"owner": Document.status}}):
        assert permitted(Document, engine, ALICE, "read", **more) is not first  # type: ignore[arg-type]  # several types
    assert permitted(Document, engine, ALICE | {"properties": {}}, "read") is not first


def test_another_revision_is_asked_anew(tmp_path: Path) -> None:
    engine = Engine(open_bundle(bundle_file(model("read"), tmp_path / "one.bundle")))
    assert "owner" in shown(permitted(Document, engine, ALICE, "read"))
    engine.replace(open_bundle(bundle_file(model("update"), tmp_path / "next.bundle")))
    assert "owner" not in shown(permitted(Document, engine, ALICE, "read"))
    assert "owner" in shown(permitted(Document, engine, ALICE, "update"))


def test_what_time_changes_is_not_remembered(tmp_path: Path) -> None:
    clock = [START]
    grant = {"id": "g", "subject": ALICE, "resource": {"type": "document", "id": "d7"}, "actions": ["read"]}
    starting = model("read", grants=[grant | {"starts_at": "2030-01-01T00:00:01Z"}])
    engine = Engine(open_bundle(bundle_file(starting, tmp_path / "one.bundle")), lambda: clock[0])
    assert "d7" not in shown(permitted(Document, engine, ALICE, "read"))
    clock[0] = START + 0.999
    assert "d7" not in shown(permitted(Document, engine, ALICE, "read"))
    clock[0] = START + 1
    assert "d7" in shown(permitted(Document, engine, ALICE, "read"))


def test_it_forgets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MOST_REMEMBERED", 2)
    engine = Engine(open_bundle(bundle_file(model("read"), tmp_path / "one.bundle")))
    for number in range(5):
        assert f"'u{number}'" in shown(permitted(Document, engine, {"type": "user", "id": f"u{number}"}, "read"))
    assert len(remembered._of_revisions[engine.held()]) <= 2
