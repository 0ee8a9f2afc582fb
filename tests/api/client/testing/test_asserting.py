"""Assertions about decisions: they fail with the explanation, in the words of `writ explain` (D10)."""

import json
from pathlib import Path
from typing import Any

import pytest
import writ.testing
from writ import BadRequest
from writ.testing import TestingEngine, assert_allowed, assert_denied

from tests.support.command import writ as command

MODEL = """\
type document
    actions read, edit
    attributes status string

role editor "Editor"

policy editing "Editors edit drafts"
    allow editor to read, edit document
    when resource.status is "draft"
"""
PEOPLE = "model: 1\nassignments: [{role: editor, subject: {type: user, id: alice}}]\n"
ALICE = ("user", "alice", "edit", "document", "d1")
BOB = ("user", "bob", "edit", "document", "d1")
DRAFT, FINAL = {"status": "draft"}, {"status": "final"}


@pytest.fixture
def engine(tmp_path: Path) -> TestingEngine:
    (tmp_path / "policies.writ").write_text(MODEL)
    (tmp_path / "people.yaml").write_text(PEOPLE)
    return writ.testing.engine(tmp_path)


def failure(assertion: Any, *given: Any, **more: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        assertion(*given, **more)
    return str(caught.value)


def test_what_is_as_expected_passes(engine: TestingEngine) -> None:
    assert_allowed(engine, *ALICE, resource=DRAFT)
    assert_denied(engine, *ALICE, resource=FINAL)
    assert_denied(engine, *ALICE, resource=FINAL, reason_code="CONDITION_FAILED")
    assert_denied(engine, *BOB, resource=DRAFT)


def test_a_denial_fails_with_its_explanation(engine: TestingEngine, tmp_path: Path) -> None:
    said = failure(assert_allowed, engine, *ALICE, resource=FINAL).splitlines()
    assert said[0] == "expected this to be allowed: May user `alice` do `edit` on document `d1`?"
    request = {
        "subject": {"type": "user", "id": "alice"},
        "action": {"name": "edit"},
        "resource": {"type": "document", "id": "d1", "properties": FINAL},
    }
    (tmp_path / "request.json").write_text(json.dumps(request))
    sources = [tmp_path / "policies.writ", tmp_path / "people.yaml"]
    assert command("compile", *sources, "-o", tmp_path / "model.bundle").returncode == 0
    told = (
        command("explain", tmp_path / "model.bundle", "--input", tmp_path / "request.json").stdout.decode().splitlines()
    )
    assert [line.removeprefix("  ") for line in said[1:]] == [line for line in told[1:] if line]
    assert "Each of these alone would allow it:" in told  # (D11)
    assert any("draft" in line for line in said)


def test_a_permission_fails_with_its_explanation(engine: TestingEngine) -> None:
    said = failure(assert_denied, engine, *ALICE, resource=DRAFT)
    assert said.startswith(
        "expected this to be denied: May user `alice` do `edit` on document `d1`?\n  Allowed (ALLOWED)"
    )
    assert "Policy `editing` allows it." in said


def test_a_denial_for_another_reason_fails(engine: TestingEngine) -> None:
    said = failure(assert_denied, engine, *BOB, resource=DRAFT, reason_code="CONDITION_FAILED")
    assert said.startswith("expected this to be denied (CONDITION_FAILED): ")
    assert "the role `editor`, which the subject does not hold" in said


def test_a_slip_is_no_denial(engine: TestingEngine) -> None:
    """E8: the engine is strict, so a misspelt attribute raises."""
    with pytest.raises(BadRequest, match="statsu"):
        assert_denied(engine, *ALICE, resource={"statsu": "final"})


class Plain:
    """A decision point that gives no reasons."""

    def decide(self, request: Any) -> dict[str, Any]:
        assert request["context"] == {"mfa": True}
        assert request["action"]["properties"] == {"soft": True}
        return {"decision": False}


def test_another_decision_point_may_give_no_reason() -> None:
    said = failure(assert_allowed, Plain(), *ALICE, context={"mfa": True}, action_properties={"soft": True})
    assert said.splitlines()[1:] == ["  Denied, without a reason."]
