"""Declared attributes in the console: made, checked against the policies before they are saved, and taken back."""

from collections.abc import Iterator

import httpx
import pytest

from tests.support.console import Desk, expect
from tests.support.server import Server

pytestmark = pytest.mark.browser


@pytest.fixture
def api(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


def review(at: Desk, button: str) -> None:
    at.page.get_by_role("button", name="Review and save").click()
    at.page.get_by_role("button", name=button).click()


def declare(at: Desk, section: str, name: str, type: str) -> None:
    """Declare an attribute of a section whose conditions are checked."""
    at.page.get_by_label(f"Check conditions on {section}").check()
    group = at.page.get_by_role("group", name="Context" if "context" in section else "Actions", exact=True)
    group.get_by_role("button", name="Add an attribute").click()
    group.get_by_label("Name").last.fill(name)
    group.get_by_label("Type", exact=True).last.select_option(type)


@pytest.fixture
def undeclared(api: httpx.Client) -> Iterator[str]:
    """An environment with a policy on the context, in which nothing is declared."""
    api.post("/v1/environments", json={"id": "plain"}).raise_for_status()
    model = {
        "model": 1,
        "resource_types": [{"id": "report", "actions": ["read"]}],
        "roles": [{"id": "analyst"}],
        "policies": [
            {
                "id": "at-work",
                "effect": "ALLOW",
                "roles": ["analyst"],
                "resource_types": [{"resource_type_id": "report", "actions": ["read"]}],
                "conditions": {"context_attrs": [{"key": "mfa", "op": "eq", "value": True}]},
            }
        ],
    }
    api.put("/v1/environments/plain/model", json=model).raise_for_status()
    yield "/v1/environments/plain/attributes"
    api.delete("/v1/environments/plain").raise_for_status()


def test_attributes_are_declared_and_the_declaration_undone(
    undeclared: str, api: httpx.Client, signed_in: Desk
) -> None:
    signed_in.go("#/plain/attributes")
    signed_in.page.get_by_role("button", name="Declare attributes").click()
    declare(signed_in, "the context", "mfa", "boolean")
    signed_in.page.get_by_label("Check conditions on subjects").check()
    signed_in.page.get_by_label("Type of subjects").fill("user agent")
    signed_in.page.get_by_role("button", name="Add the type").click()
    signed_in.sees("Attributes of the type")
    assert signed_in.serious() == []
    review(signed_in, "Create the declaration")
    signed_in.sees("The declaration is created.")
    assert api.get(undeclared).json() == {"subject": {"user agent": {}}, "context": {"mfa": "boolean"}}
    signed_in.page.get_by_role("button", name="Undo").click()
    signed_in.page.get_by_role("button", name="Declare attributes").wait_for()
    assert api.get(undeclared).status_code == 404


def test_a_declaration_that_a_policy_does_not_fit_is_told_before_it_is_saved(
    undeclared: str, api: httpx.Client, signed_in: Desk
) -> None:
    api.put(undeclared, json={"context": {"mfa": "boolean"}}).raise_for_status()
    signed_in.go("#/plain/attributes")
    signed_in.page.get_by_label("Type", exact=True).select_option("string")
    signed_in.page.get_by_role("button", name="Review and save").click()
    expect(signed_in.page.get_by_role("alert").first).to_contain_text("at-work")
    expect(signed_in.page.get_by_role("dialog")).to_have_count(0)
    assert api.get(undeclared).json() == {"context": {"mfa": "boolean"}}


def test_two_attributes_of_one_name_are_not_sent(undeclared: str, signed_in: Desk) -> None:
    signed_in.go("#/plain/attributes")
    signed_in.page.get_by_role("button", name="Declare attributes").click()
    declare(signed_in, "properties of actions", "reason", "string")
    declare(signed_in, "properties of actions", "reason", "number")
    signed_in.sees("is there twice")
    expect(signed_in.page.get_by_role("button", name="Review and save")).to_be_disabled()
    signed_in.page.get_by_role("button", name="Remove the attribute reason").last.click()
    expect(signed_in.page.get_by_role("button", name="Review and save")).to_be_enabled()


def test_attributes_that_somebody_else_declared_meanwhile_are_not_lost(
    undeclared: str, api: httpx.Client, signed_in: Desk
) -> None:
    signed_in.go("#/plain/attributes")
    signed_in.page.get_by_role("button", name="Declare attributes").click()
    declare(signed_in, "properties of actions", "reason", "string")
    api.put(undeclared, json={"context": {"mfa": "boolean"}}).raise_for_status()
    review(signed_in, "Create the declaration")
    signed_in.sees("Somebody else has changed this declaration meanwhile.")
    signed_in.page.get_by_role("button", name="Take what is stored, and drop mine").click()
    expect(signed_in.page.get_by_label("Check conditions on the context")).to_be_checked()
    expect(signed_in.page.get_by_label("Check conditions on properties of actions")).not_to_be_checked()
    assert api.get(undeclared).json() == {"context": {"mfa": "boolean"}}


def test_a_declaration_ends_and_comes_back(undeclared: str, api: httpx.Client, signed_in: Desk) -> None:
    api.put(undeclared, json={"context": {"mfa": "boolean"}}).raise_for_status()
    signed_in.go("#/plain/attributes")
    signed_in.page.get_by_role("button", name="Delete").click()
    signed_in.page.get_by_label("To confirm, type").fill("attributes")
    signed_in.page.get_by_role("button", name="Delete the declaration").click()
    signed_in.sees("The declaration is deleted.")
    signed_in.page.get_by_role("button", name="Declare attributes").wait_for()
    signed_in.page.get_by_role("button", name="Undo").click()
    signed_in.page.get_by_label("Check conditions on the context").wait_for()
    assert api.get(undeclared).json() == {"context": {"mfa": "boolean"}}
