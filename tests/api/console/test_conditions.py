"""The conditions of a policy in the form: references, the time of the request, elements of arrays (X1 to X6)."""

from collections.abc import Iterator

import httpx
import pytest

from tests.api.console.test_policies import save, wait_for_text
from tests.support.console import Desk, expect
from tests.support.server import Server

pytestmark = pytest.mark.browser

MODEL = {
    "model": 1,
    "extensions": ["references", "now", "arrays"],
    "attributes": {"subject": {"user": {"region": "string", "teams": "array"}}},
    "resource_types": [
        {
            "id": "document",
            "actions": ["read"],
            "attributes": {"status": "string", "embargo_until": "instant", "tags": "array"},
        }
    ],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"resource_attrs": [{"key": "status", "op": "eq", "value": "draft"}]},
        }
    ],
}
PATH = "/v1/environments/forms/policies/p"
EDITOR = "#/forms/policies/p?edit=yes"


@pytest.fixture
def api(server: Server) -> Iterator[httpx.Client]:
    """A client of the API, with an environment whose model lists all extensions."""
    with server.client() as client:
        client.post("/v1/environments", json={"id": "forms"}).raise_for_status()
        client.put("/v1/environments/forms/model", json=MODEL).raise_for_status()
        yield client
        client.delete("/v1/environments/forms").raise_for_status()


def conditions(api: httpx.Client) -> object:
    return api.get(PATH).json()["conditions"]["resource_attrs"]


def save_and_wait(desk: Desk) -> None:
    """Save the policy, and wait for the answer: the form shows the same sentence before."""
    with desk.page.expect_response(lambda one: one.request.method == "PUT" and one.url.endswith(PATH)):
        save(desk)


def test_a_condition_compares_with_a_value_of_the_request(api: httpx.Client, signed_in: Desk) -> None:
    """X1: the values that fit the operator are suggested."""
    signed_in.go(EDITOR)
    wait_for_text(signed_in, '"draft"')
    signed_in.page.get_by_label("Condition 1: value: kind").select_option("value of the request")
    wait_for_text(signed_in, "resource.status is subject.id")
    suggested = "$.conditions.resource_attrs[0]-names"
    values = "id => [...document.getElementById(id).options].map(one => one.value)"
    signed_in.settle()
    assert {"subject.region", "subject.groups", "context.time"} < {*signed_in.page.evaluate(values, suggested)}
    signed_in.page.get_by_label("Condition 1: comparison").select_option("is one of")
    signed_in.page.locator(f"[id='{suggested}'] option[value='subject.region']").wait_for(state="detached")
    found = signed_in.page.evaluate(values, suggested)
    assert {"subject.groups", "subject.teams"} <= {*found}
    assert "subject.region" not in found
    signed_in.page.get_by_label("Condition 1: value", exact=True).fill("subject.groups")
    wait_for_text(signed_in, "resource.status in subject.groups")
    signed_in.sees("does not fit, the condition does not hold")
    assert signed_in.serious() == []
    save_and_wait(signed_in)
    signed_in.sees("one of the groups of the subject")
    assert conditions(api) == [{"key": "status", "op": "in", "value_of": "subject.groups"}]


def test_a_condition_compares_with_the_time_of_the_request(api: httpx.Client, signed_in: Desk) -> None:
    """X5: made in the form, saved, and edited again."""
    signed_in.go(EDITOR)
    wait_for_text(signed_in, '"draft"')
    signed_in.page.get_by_label("Condition 1: attribute").fill("embargo_until")
    signed_in.page.get_by_label("Condition 1: comparison").select_option("has passed")
    wait_for_text(signed_in, "resource.embargo_until has passed")
    expect(signed_in.page.get_by_label("Condition 1: value", exact=True)).to_have_count(0)
    assert signed_in.serious() == []
    save_and_wait(signed_in)
    signed_in.sees("an instant not after the time of the request")
    assert conditions(api) == [{"key": "embargo_until", "op": "lte", "value_of": "now"}]
    signed_in.go(EDITOR)
    wait_for_text(signed_in, "has passed")
    comparison = signed_in.page.get_by_label("Condition 1: comparison")
    expect(comparison.locator("option:checked")).to_have_text("has passed")
    comparison.select_option("is less than")
    signed_in.page.get_by_label("Condition 1: value: kind").select_option("time of the request")
    wait_for_text(signed_in, "resource.embargo_until < now")
    comparison.select_option("is still to come")
    wait_for_text(signed_in, "resource.embargo_until is still to come")
    save_and_wait(signed_in)
    signed_in.sees("an instant after the time of the request")
    assert conditions(api) == [{"key": "embargo_until", "op": "gt", "value_of": "now"}]


def test_a_condition_looks_at_the_elements_of_an_array(api: httpx.Client, signed_in: Desk) -> None:
    """X6: a declared array offers the operators of elements, and their constants are elements."""
    signed_in.go(EDITOR)
    wait_for_text(signed_in, '"draft"')
    signed_in.page.get_by_label("Condition 1: attribute").fill("tags")
    comparison = signed_in.page.get_by_label("Condition 1: comparison")
    expect(comparison.locator("option", has_text="contains any of")).to_have_count(1)
    expect(comparison.locator("option", has_text="is at most")).to_have_count(0)
    expect(comparison.locator("option", has_text="has passed")).to_have_count(0)
    comparison.select_option("contains")
    wait_for_text(signed_in, 'resource.tags has "draft"')
    signed_in.sees("Looks at the elements of an array.")
    comparison.select_option("contains none of")
    signed_in.page.get_by_label("Condition 1: value", exact=True).fill("secret\npii")
    wait_for_text(signed_in, 'resource.tags has none of ["secret", "pii"]')
    save_and_wait(signed_in)
    signed_in.sees("a list that contains none of")
    assert conditions(api) == [{"key": "tags", "op": "has_none", "value": ["secret", "pii"]}]


def test_a_form_says_which_extension_a_comparison_needs(api: httpx.Client, signed_in: Desk) -> None:
    """X5: a model that does not list `now` has no such comparison, and a finding stands at the row."""
    api.delete("/v1/environments/forms/extensions").raise_for_status()
    signed_in.go(EDITOR)
    wait_for_text(signed_in, '"draft"')
    signed_in.page.get_by_label("Condition 1: comparison").select_option("is still to come")
    signed_in.page.locator(".row.comparison .fault").get_by_text("extension").first.wait_for()
    expect(signed_in.page.get_by_role("button", name="Review and save")).to_be_disabled()
