"""Extensions and strict requests in the console: chosen, reviewed, saved and undone, and found from where they lack."""

from collections.abc import Iterator

import httpx
import pytest
from writ.bundles.extensions import EXTENSIONS

from tests.support.console import Desk, expect
from tests.support.server import Server

pytestmark = pytest.mark.browser

ROOT = "/v1/environments/opting"
MODEL = {
    "model": 1,
    "resource_types": [{"id": "report", "actions": ["read"]}],
    "policies": [
        {
            "id": "tagged",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "report", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "tags", "op": "eq", "value": "a"}]},
        }
    ],
}


@pytest.fixture
def api(server: Server) -> Iterator[httpx.Client]:
    """A client of the API, with an environment whose model opts into nothing."""
    with server.client() as client:
        client.post("/v1/environments", json={"id": "opting"}).raise_for_status()
        client.put(f"{ROOT}/model", json=MODEL).raise_for_status()
        yield client
        client.delete("/v1/environments/opting").raise_for_status()


def test_every_extension_is_offered_and_a_choice_is_undone(api: httpx.Client, signed_in: Desk) -> None:
    """X1, X5, X6."""
    page = signed_in.page
    signed_in.go("#/opting/extensions")
    for name in EXTENSIONS:
        page.get_by_label(name.capitalize(), exact=True).check()
    assert signed_in.serious() == []
    page.get_by_role("button", name="Review and save").click()
    page.get_by_role("dialog").get_by_text("can't be tried").first.wait_for()
    page.get_by_role("button", name="Create the list of extensions").click()
    signed_in.sees("The list of extensions is created.")
    assert api.get(f"{ROOT}/extensions").json() == sorted(EXTENSIONS)
    page.get_by_role("button", name="Delete", exact=True).wait_for()  # the saved list takes the place
    page.get_by_label("Now", exact=True).uncheck()
    page.get_by_role("button", name="Review and save").click()
    page.get_by_role("button", name="Save the list of extensions").click()
    signed_in.sees("The list of extensions is saved.")
    assert api.get(f"{ROOT}/extensions").json() == ["arrays", "references"]
    page.get_by_role("button", name="Undo").click()
    signed_in.sees("The list of extensions is saved: undone.")
    assert api.get(f"{ROOT}/extensions").json() == sorted(EXTENSIONS)
    page.get_by_role("checkbox", name="Now", exact=True, checked=True).wait_for()


def test_an_extension_that_a_policy_needs_stays(api: httpx.Client, signed_in: Desk) -> None:
    api.put(f"{ROOT}/extensions", json=["arrays"]).raise_for_status()
    condition = {"resource_attrs": [{"key": "tags", "op": "has", "value": "a"}]}
    changed = {"conditions": condition}
    api.patch(f"{ROOT}/policies/tagged", json=changed).raise_for_status()
    signed_in.go("#/opting/extensions")
    signed_in.page.get_by_label("Arrays").uncheck()
    signed_in.page.get_by_role("button", name="Review and save").click()
    expect(signed_in.page.get_by_role("alert").first).to_contain_text("needs the extension")
    expect(signed_in.page.get_by_role("dialog")).to_have_count(0)
    assert api.get(f"{ROOT}/extensions").json() == ["arrays"]


def test_requests_become_strict_and_no_longer(api: httpx.Client, signed_in: Desk) -> None:
    """E8."""
    page = signed_in.page
    signed_in.go("#/opting/attributes")
    page.get_by_role("link", name="requests checked").click()
    signed_in.sees("Requests are not strict")
    page.get_by_role("button", name="Make requests strict").click()
    page.get_by_role("button", name="Create the strict mode").click()
    signed_in.sees("Requests are strict")
    assert api.get(f"{ROOT}/requests").json() == "strict"
    assert signed_in.serious() == []
    page.get_by_role("button", name="Undo").click()
    signed_in.sees("Requests are not strict")
    assert api.get(f"{ROOT}/requests").status_code == 404
    api.put(f"{ROOT}/requests", json="strict").raise_for_status()
    signed_in.go("#/opting/policies")
    signed_in.go("#/opting/extensions")
    page.get_by_role("button", name="Delete").click()
    page.get_by_label("To confirm, type").fill("requests")
    page.get_by_role("button", name="Delete the strict mode").click()
    signed_in.sees("The strict mode is deleted.")
    assert api.get(f"{ROOT}/requests").status_code == 404
    page.get_by_role("button", name="Undo").click()
    signed_in.sees("Requests are strict")
    assert api.get(f"{ROOT}/requests").json() == "strict"


def test_a_condition_leads_to_the_extension_that_it_needs(api: httpx.Client, signed_in: Desk) -> None:
    """X6."""
    signed_in.go("#/opting/policies/tagged?edit=yes")
    signed_in.page.get_by_label("Condition 1: comparison").select_option("contains")
    link = signed_in.page.get_by_role("link", name="Choose the extensions of the model")
    expect(link).to_have_attribute("href", "#/opting/extensions")
