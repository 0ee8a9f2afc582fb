"""The time of a policy test: `now` of the test or of its file, and `context.time` of its request (X5, C8)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import writ

MODEL = """\
model: 1
extensions: [now]
resource_types: [{id: document, actions: [read, keep]}]
resources: [{type: document, id: old, attributes: {until: "2026-01-01T00:00:00Z"}}]
policies:
  - id: published
    effect: ALLOW
    resource_types: [{resource_type_id: document, actions: [read]}]
    conditions: {resource_attrs: [{key: embargo_until, op: lte, value_of: now}]}
  - id: kept
    effect: ALLOW
    resource_types: [{resource_type_id: document, actions: [keep]}]
  - id: ended
    effect: DENY
    resource_types: [{resource_type_id: document, actions: [keep]}]
    conditions: {resource_attrs: [{key: until, op: lte, value_of: now}]}
"""
EMBARGO = "2026-06-01T00:00:00Z"
SUBJECT = {"type": "user", "id": "alice"}


def asking(action: str = "read", key: str = "embargo_until", value: Any = EMBARGO, **more: Any) -> dict[str, Any]:
    resource = {"type": "document", "id": "d1", "properties": {key: value}}
    return {"subject": SUBJECT, "action": {"name": action}, "resource": resource, **more}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.yaml").write_text(MODEL)
    return tmp_path


def run(folder: Path, *tests: dict[str, Any], **file: Any) -> tuple[int, str]:
    named = [{"name": f"test {number}", **test} for number, test in enumerate(tests)]
    (folder / "m.test.json").write_text(json.dumps({"model": ["model.yaml"], "tests": named, **file}))
    done = writ("test", folder / "m.test.json")
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def expecting(decision: bool, request: dict[str, Any], **test: Any) -> dict[str, Any]:
    return {"request": request, "expect": {"decision": decision}, **test}


def test_the_instant_of_the_test_counts_then_that_of_the_file(folder: Path) -> None:
    """The edge is inclusive for `lte`, and instants compare by their offsets."""
    found = run(
        folder,
        expecting(False, asking()),
        expecting(True, asking(), now=EMBARGO),
        expecting(False, asking(), now="2026-05-31T23:59:59.999999Z"),
        expecting(True, asking(), now="2026-06-01T02:00:00+02:00"),
        expecting(True, asking(), now=1780272000),
        now="2026-01-05T10:00:00Z",
    )
    assert found[0] == 0, found


def test_the_time_of_the_request_comes_before_both(folder: Path) -> None:
    later, before = {"time": "2027-01-01T00:00:00Z"}, {"time": "2025-01-01T00:00:00Z"}
    found = run(
        folder,
        expecting(True, asking(context=later), now="2026-01-01T00:00:00Z"),
        expecting(False, asking(context=before), now="2027-01-01T00:00:00Z"),
        expecting(False, asking(context={"time": "soon"}), now="2027-01-01T00:00:00Z"),
        now=0,
    )
    assert found[0] == 0, found


def test_a_deny_that_can_not_read_its_instant_holds(folder: Path) -> None:
    """X5: an unreadable attribute or time fails closed in a test as it does in the service."""
    found = run(
        folder,
        expecting(True, asking("keep", "until", "2027-01-01T00:00:00Z")),
        expecting(False, asking("keep", "until", "some day")),
        expecting(False, asking("keep", "until", "2027-01-01T00:00:00Z", context={"time": "soon"})),
        expecting(True, asking("keep", "other")),
        now="2026-01-05T10:00:00Z",
    )
    assert found[0] == 0, found


def test_a_table_and_a_filter_have_the_instant(folder: Path) -> None:
    resources = {"embargo": asking()["resource"]}
    table = {"subjects": {"alice": SUBJECT}, "actions": ["read"], "resources": resources}
    open_field = {"type": "field", "field": "embargo_until", "operator": "lte", "value_type": "instant"}
    search = {"subject": SUBJECT, "action": {"name": "read"}, "resource": {"type": "document"}}
    decided = search | {"options": {"gates": "decide"}}
    found = run(
        folder,
        {**table, "allowed": {"alice": {"embargo": ["read"]}}, "now": EMBARGO},
        {**table, "allowed": {}, "now": "2026-05-01T00:00:00Z"},
        {**table, "allowed": {"alice": {"embargo": ["read"]}}, "context": {"time": EMBARGO}, "now": 0},
        {"search": decided, "expect": {"filter": open_field | {"value": EMBARGO}}, "now": EMBARGO},
        {"search": search, "expect": {"filter": {"type": "const", "value": True}}, "now": EMBARGO},
    )
    assert found[0] == 0, found


def test_a_registered_instant_is_compared(folder: Path) -> None:
    request = {**asking("keep"), "resource": {"type": "document", "id": "old"}, "options": {"attributes": "registered"}}
    found = run(
        folder,
        expecting(True, request, now="2025-12-31T23:59:59Z"),
        expecting(False, request, now="2026-01-01T00:00:00Z"),
    )
    assert found[0] == 0, found


def test_a_wrong_expectation_fails_and_says_which_instant_was_compared(folder: Path) -> None:
    tests = {"tests": [{"name": "n", **expecting(True, asking(), now="2026-05-01T00:00:00Z")}], "model": ["model.yaml"]}
    (folder / "m.test.json").write_text(json.dumps(tests))
    done = writ("test", folder / "m.test.json")
    assert done.returncode == 1
    shown = done.stdout.decode()
    assert f'`embargo_until` of the resource is "{EMBARGO}"' in shown
    assert 'not after the time of the request ("2026-05-01T00:00:00Z")' in shown
