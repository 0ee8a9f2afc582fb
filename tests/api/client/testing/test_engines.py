"""`writ.testing.engine`: a model compiled in memory, which answers each question as the service does (E8, S2, S3)."""

from pathlib import Path
from typing import Any

import pytest
import writ
import writ.testing
from writ.api.engines.live.build import build_bundle

MODEL = """\
type document
    actions read, edit
    attributes status string

role editor "Editor"

policy editing "Editors edit drafts"
    allow editor to read, edit document
    when resource.status is "draft"
"""
PEOPLE = """\
model: 1
subjects:
- {type: user, id: alice, external_id: "idp|1"}
- {type: user, id: bob}
resources:
- {type: document, id: d2, attributes: {status: draft}}
- {type: document, id: d1, name: Plan, attributes: {status: draft}}
- {type: document, id: d3, attributes: {status: final}}
assignments: [{role: editor, subject: {type: user, id: alice}}]
"""
ASKED = ("user", "alice", "edit", "document", "d1")
DRAFT = {"type": "document", "id": "d1", "properties": {"status": "draft"}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "policies.writ").write_text(MODEL)
    (tmp_path / "people.yaml").write_text(PEOPLE)
    return tmp_path


def search(**more: object) -> dict[str, Any]:
    who = {"subject": {"type": "user", "id": "alice"}, "action": {"name": "edit"}}
    return {**who, "resource": {"type": "document"}, **more}


def test_one_call_each_way(folder: Path) -> None:
    engine = writ.testing.engine(folder)
    decision = engine.ask(*ASKED, resource={"status": "draft"})
    assert decision
    assert (decision.allowed, decision.reason_code, decision.policy_id) == (True, "ALLOWED", "editing")
    assert engine.allowed(*ASKED, resource={"status": "draft"})
    refused = engine.ask(*ASKED, resource={"status": "final"})
    assert not refused
    assert (refused.reason_code, refused.policy_id) == ("CONDITION_FAILED", None)


def test_registered_resources_and_subjects_are_listed(folder: Path) -> None:
    """S2, S3: bare entities by id, and more with options."""
    engine = writ.testing.engine(folder)
    assert list(engine.resources(search())) == [{"type": "document", "id": "d1"}, {"type": "document", "id": "d2"}]
    assert next(engine.resources(search(options={}))) == {
        "type": "document",
        "id": "d1",
        "resource_id": "d1",
        "name": "Plan",
        "actions": ["edit", "read"],
        "access_path": "role",
    }
    who = {"subject": {"type": "user"}, "action": {"name": "edit"}, "resource": DRAFT}
    assert list(engine.subjects(who)) == [{"type": "user", "id": "alice"}]
    told = list(engine.subjects({**who, "options": {}}))
    assert told == [{"type": "user", "id": "alice", "external_id": "idp|1", "access_path": "role"}]


def test_actions_are_listed(folder: Path) -> None:
    engine = writ.testing.engine(folder)
    found = engine.actions({"subject": {"type": "user", "id": "alice"}, "resource": DRAFT})
    assert [one["name"] for one in found["results"]] == ["edit", "read"]
    assert engine.actions({"subject": {"type": "user", "id": "bob"}, "resource": DRAFT})["results"] == []


def test_a_typo_is_found_unless_a_test_wants_none(folder: Path) -> None:
    """E8: strict by default."""
    with pytest.raises(writ.BadRequest, match="staus"):
        writ.testing.engine(folder).allowed(*ASKED, resource={"staus": "draft"})
    assert not writ.testing.engine(folder, strict=False).allowed(*ASKED, resource={"staus": "draft"})


def test_a_model_with_errors_is_told_with_its_places(tmp_path: Path) -> None:
    (tmp_path / "bad.writ").write_text("type document { actions }")
    with pytest.raises(writ.testing.BadModel, match=r"bad\.writ:1"):
        writ.testing.engine(tmp_path)
    (tmp_path / "bad.writ").rename(tmp_path / "bad.txt")
    with pytest.raises(writ.Error, match="no model documents"):
        writ.testing.engine(tmp_path)


def test_a_bundle_lists_nothing(folder: Path, tmp_path: Path) -> None:
    """Only the service and an engine for tests know what is registered."""
    build_bundle([folder], tmp_path / "model.bundle")
    engine = writ.Engine.open(tmp_path / "model.bundle")
    with pytest.raises(writ.SearchUnavailable, match="the service"):
        engine.resources(search())
    with pytest.raises(writ.BadRequest):
        engine.subjects({})


def test_an_entity_that_is_only_named_is_registered(tmp_path: Path) -> None:
    """E3: by an assignment, a membership or a grant."""
    (tmp_path / "model.yaml").write_text(
        """\
model: 1
resource_types: [{id: document, actions: [read]}]
roles: [{id: reader}]
groups: [{id: g, members: [{type: user, id: carol}]}]
assignments:
- {role: reader, subject: {type: user, id: alice}}
- {role: reader, group: g}
grants: [{subject: {type: user, id: bob}, resource: {type: document, id: d1}, actions: [read]}]
policies: [{id: p, effect: ALLOW, roles: [reader], resource_types: [{resource_type_id: document, actions: [read]}]}]
"""
    )
    engine = writ.testing.engine(tmp_path)
    asked = {"subject": {"type": "user"}, "action": {"name": "read"}, "resource": {"type": "document", "id": "d1"}}
    assert [one["id"] for one in engine.subjects(asked)] == ["alice", "bob", "carol"]
    assert [one["id"] for one in engine.resources({**asked, "subject": {"type": "user", "id": "bob"}})] == ["d1"]
