"""Stored policy tests in the console: made, run, and asked before a change is saved (issue 19, items 4 and 5)."""

from collections.abc import Iterator

import httpx
import pytest

from tests.support.console import Desk, expect
from tests.support.server import Server

pytestmark = pytest.mark.browser

TESTS = "/v1/environments/default/tests"
POLICY = "/v1/environments/default/policies/guests-read"
NAME = "guests read notes"
REQUEST = {
    "subject": {"type": "user", "id": "gast"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "note", "properties": {"status": "note"}},
}


@pytest.fixture
def api(server: Server) -> Iterator[httpx.Client]:
    """A client of the API, with a policy and a set of tests that holds it."""
    with server.client() as client:
        client.delete(f"{TESTS}/guests")
        client.delete(POLICY)
        policy = {
            "id": "guests-read",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "status", "op": "eq", "value": "note"}]},
        }
        assert client.post("/v1/environments/default/policies", json=policy).status_code == 201
        tests = [{"name": NAME, "request": REQUEST, "expect": {"decision": True}}]
        assert client.post(TESTS, json={"id": "guests", "tests": tests}).status_code == 201
        yield client


def test_all_tests_are_run(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go("#/default/tests")
    signed_in.page.get_by_role("button", name="Run all tests").click()
    signed_in.sees("1 test passed, 0 failed")
    assert signed_in.serious() == []


def test_a_failed_test_says_what_it_expected(api: httpx.Client, signed_in: Desk) -> None:
    tests = [{"name": NAME, "request": REQUEST, "expect": {"decision": False}}]
    api.put(f"{TESTS}/guests", json={"id": "guests", "tests": tests})
    signed_in.go("#/default/tests/guests")
    signed_in.page.get_by_role("button", name="Run the tests").click()
    signed_in.sees("0 tests passed, 1 failed")
    row = signed_in.page.get_by_role("row", name="decision")
    expect(row.get_by_role("cell")).to_have_text(["decision", "false", "true"])
    assert signed_in.serious() == []


def test_a_test_is_added_by_a_form(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go("#/default/tests/guests")
    signed_in.page.get_by_text("Add a test").click()
    signed_in.page.get_by_label("Name", exact=True).fill("nobody deletes notes")
    signed_in.page.get_by_label("Subject: id").fill("gast")
    signed_in.page.get_by_label("Action", exact=True).fill("delete")
    signed_in.page.get_by_label("Resource: type").fill("document")
    signed_in.page.get_by_label("Resource: id").fill("note")
    signed_in.page.get_by_label("Resource properties, as JSON").fill('{"status": "note"}')
    signed_in.page.get_by_label("The answer must be").select_option("denied")
    signed_in.page.get_by_role("button", name="Add the test").click()
    signed_in.page.get_by_role("button", name="Review and save").click()
    signed_in.page.get_by_role("button", name="Save the set of tests").click()
    signed_in.sees("The set of tests is saved.")
    added = api.get(f"{TESTS}/guests").json()["tests"][1]
    assert added["request"] == REQUEST | {"action": {"name": "delete"}}
    assert added["expect"] == {"decision": False}


def test_faulty_json_is_not_saved(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go("#/default/tests/guests")
    signed_in.page.get_by_label("All tests, as JSON").fill('{"tests": [')
    signed_in.sees("This is no JSON object with a list")
    expect(signed_in.page.get_by_role("button", name="Review and save")).to_be_disabled()


def test_a_change_shows_the_tests_that_it_breaks_before_it_is_saved(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go("#/default/policies/guests-read?edit=yes")
    signed_in.page.get_by_label("Condition 1: value", exact=True).fill("memo")
    signed_in.page.wait_for_function("() => document.getElementById('writ-text').value.includes('memo')")
    signed_in.page.get_by_role("button", name="Review and save").click()
    dialog = signed_in.page.get_by_role("dialog")
    dialog.get_by_text("0 tests would pass and 1 would fail").wait_for()
    expect(dialog).to_contain_text("passes now, fails then")
    assert api.get(POLICY).json()["conditions"]["resource_attrs"][0]["value"] == "note"
    dialog.get_by_role("button", name="Go on editing").click()
    signed_in.sees_value("Condition 1: value", "memo")


def test_a_deletion_shows_the_tests_that_it_breaks(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go("#/default/policies/guests-read")
    signed_in.page.get_by_role("button", name="Delete").click()
    signed_in.page.get_by_role("dialog").get_by_text("0 tests would pass and 1 would fail").wait_for()
    assert signed_in.serious() == []
    signed_in.page.get_by_role("button", name="Cancel").click()
    assert api.get(POLICY).status_code == 200
