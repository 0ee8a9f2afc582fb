"""Policies in the console: read as sentences, edited in both forms, and their effect shown before they are saved."""

from collections.abc import Iterator

import httpx
import pytest

from tests.support.console import HOSTILE_NAMES, Desk, as_seen, expect
from tests.support.server import Server

pytestmark = pytest.mark.browser

ID = "editors-comment"
POLICY = {
    "id": ID,
    "name": "Editors comment on drafts",
    "effect": "ALLOW",
    "priority": 7,
    "roles": ["editor"],
    "resource_types": [{"resource_type_id": "document", "actions": ["comment"]}],
    "conditions": {"resource_attrs": [{"key": "status", "op": "eq", "value": "draft"}]},
}
PATH = f"/v1/environments/default/policies/{ID}"
PAGE = f"#/default/policies/{ID}"
EDITOR = f"{PAGE}?edit=yes"


@pytest.fixture
def api(server: Server) -> Iterator[httpx.Client]:
    """A client of the API, with the policy of these tests stored."""
    with server.client() as client:
        client.delete(PATH)
        assert client.post("/v1/environments/default/policies", json=POLICY).status_code == 201
        yield client
        client.delete(PATH)


def text_of(desk: Desk) -> str:
    value: str = desk.page.get_by_label("The policy as text").input_value()
    return value


def wait_for_text(desk: Desk, part: str) -> None:
    desk.page.wait_for_function("part => document.getElementById('writ-text')?.value.includes(part)", arg=part)


def save(desk: Desk) -> None:
    desk.page.get_by_role("button", name="Review and save").click()
    desk.page.get_by_role("button", name="Save the policy").click()


def test_a_policy_reads_as_a_sentence_beside_its_text(api: httpx.Client, at_desk: Desk) -> None:
    at_desk.sign_in(place=PAGE)
    at_desk.sees("Allows everyone with the role")
    at_desk.sees('when resource.status is "draft"')
    assert at_desk.serious() == []


def test_the_list_filters_by_the_api_and_by_text(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go("#/default/policies?role=editor")
    signed_in.sees("Editors comment on drafts")
    signed_in.settle()
    expect(signed_in.page.get_by_text("Nothing on legal hold is deleted")).to_have_count(0)
    signed_in.page.get_by_label("Text on this page").fill("watermark")
    signed_in.page.get_by_role("button", name="Filter").click()
    signed_in.page.wait_for_url("**text=watermark*")
    signed_in.sees("Editors share finished documents")
    expect(signed_in.page.get_by_text("Editors comment on drafts")).to_have_count(0)
    assert signed_in.serious() == []


def test_the_text_follows_the_form(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go(EDITOR)
    wait_for_text(signed_in, '"draft"')
    signed_in.page.get_by_label("Condition 1: value", exact=True).fill("review")
    wait_for_text(signed_in, 'resource.status is "review"')
    signed_in.page.get_by_label("Condition 1: comparison").select_option("is one of")
    signed_in.page.get_by_label("Condition 1: value", exact=True).fill("review\ndraft")
    wait_for_text(signed_in, 'resource.status in ["review", "draft"]')
    signed_in.sees("Review and save")
    assert signed_in.serious() == []


def test_the_form_follows_the_text(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go(EDITOR)
    wait_for_text(signed_in, '"draft"')
    field = signed_in.page.get_by_label("The policy as text")
    field.fill(text_of(signed_in) + "    and context.mfa is true\n    at most 5 times in 2 minutes\n")
    expect(signed_in.page.get_by_label("Condition 2: attribute")).to_have_value("mfa")
    expect(signed_in.page.get_by_label("In so many seconds")).to_have_value("120")
    assert text_of(signed_in).endswith("in 2 minutes\n")  # what is typed stays as it was typed


def test_an_operator_knows_the_declared_type(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go(EDITOR)
    wait_for_text(signed_in, '"draft"')
    signed_in.page.get_by_role("button", name="Add a condition").click()
    signed_in.page.get_by_label("Condition 2: attribute").fill("pages")
    operators = signed_in.page.get_by_label("Condition 2: comparison").locator("option")
    expect(operators.get_by_text("matches", exact=True)).to_have_count(0)  # `pages` is a number
    expect(operators.get_by_text("is at most", exact=True)).to_have_count(1)
    expect(signed_in.page.get_by_label("Condition 2: value: kind")).to_have_value("number")
    signed_in.page.get_by_label("Condition 2: value", exact=True).fill("ten")
    signed_in.sees("is not a number")
    expect(signed_in.page.get_by_role("button", name="Review and save")).to_be_disabled()


def test_a_finding_stands_at_the_field_and_at_the_character(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go(EDITOR)
    wait_for_text(signed_in, '"draft"')
    signed_in.page.get_by_label("The policy as text").fill(text_of(signed_in).replace("status", "statu"))
    expect(signed_in.page.locator("mark.error").first).to_contain_text("statu")
    signed_in.page.locator(".row.comparison .fault").first.wait_for()
    expect(signed_in.page.get_by_role("button", name="Review and save")).to_be_disabled()


def test_a_text_that_cannot_be_read_leaves_the_form_as_it_was(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go(EDITOR)
    wait_for_text(signed_in, '"draft"')
    signed_in.page.get_by_label("The policy as text").fill("policy x allow allow")
    signed_in.sees("The text has errors, so the form shows the policy before them.")
    signed_in.page.get_by_role("button", name="Drop the text").click()
    wait_for_text(signed_in, 'resource.status is "draft"')


def test_a_change_is_reviewed_saved_decided_by_and_undone(api: httpx.Client, signed_in: Desk) -> None:
    question = {
        "subject": {"type": "user", "id": "nobody-at-all"},
        "action": {"name": "comment"},
        "resource": {"type": "document", "id": "x", "properties": {"status": "draft"}},
    }
    signed_in.go(EDITOR)
    wait_for_text(signed_in, '"draft"')
    signed_in.page.get_by_label("For", exact=True).select_option("everyone")
    wait_for_text(signed_in, "allow everyone")
    signed_in.page.get_by_role("button", name="Review and save").click()
    dialog = signed_in.page.get_by_role("dialog")
    dialog.get_by_text("From then on").wait_for()
    expect(dialog.locator(".removed").first).to_contain_text("editor")
    assert signed_in.serious() == []
    assert api.post("/access/v1/evaluation", json=question).json()["decision"] is False
    dialog.get_by_role("button", name="Save the policy").click()
    signed_in.sees("The policy is saved.")
    assert api.post("/access/v1/evaluation", json=question).json()["decision"] is True
    signed_in.page.get_by_role("button", name="Undo").click()
    signed_in.sees("undone")
    assert api.get(PATH).json() == POLICY
    assert api.post("/access/v1/evaluation", json=question).json()["decision"] is False


def test_somebody_elses_change_is_shown_and_not_overwritten(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go(EDITOR)
    wait_for_text(signed_in, '"draft"')
    signed_in.page.get_by_label("Priority").fill("9")
    wait_for_text(signed_in, "priority 9")
    api.patch(PATH, json={"description": "theirs"})
    save(signed_in)
    signed_in.sees("Somebody else has changed this policy meanwhile.")
    expect(signed_in.page.locator(".removed").last).to_contain_text("theirs")
    assert api.get(PATH).json()["priority"] == 7
    signed_in.page.get_by_role("button", name="Keep mine, to save over it").click()
    signed_in.page.get_by_role("button", name="Save the policy").click()
    signed_in.sees("The policy is saved.")
    assert api.get(PATH).json()["priority"] == 9


def test_a_new_policy_is_created_and_undone(signed_in: Desk, server: Server) -> None:
    signed_in.go("#/default/policies")
    signed_in.page.get_by_role("link", name="Create a policy").click()
    signed_in.page.get_by_label("Id", exact=True).fill("fresh")
    signed_in.page.get_by_role("combobox", name="Roles").fill("editor")
    signed_in.page.get_by_role("combobox", name="Roles").press("Enter")
    signed_in.page.get_by_label("Resource type", exact=True).fill("document")
    signed_in.page.get_by_role("checkbox", name="read").check()
    wait_for_text(signed_in, "allow editor to read document")
    signed_in.page.get_by_role("button", name="Review and save").click()
    signed_in.page.get_by_role("button", name="Create the policy").click()
    signed_in.sees("The policy is created.")
    with server.client() as client:
        assert client.get("/v1/environments/default/policies/fresh").status_code == 200
        signed_in.page.get_by_role("button", name="Undo").click()
        signed_in.page.get_by_role("heading", name="Policies").wait_for()
        assert client.get("/v1/environments/default/policies/fresh").status_code == 404


def test_deleting_asks_for_the_name_and_can_be_undone(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go(PAGE)
    signed_in.page.get_by_role("button", name="Delete").click()
    button = signed_in.page.get_by_role("button", name="Delete the policy")
    expect(button).to_be_disabled()
    signed_in.page.get_by_label("To confirm, type").fill(ID)
    button.click()
    signed_in.sees("The policy is deleted.")
    assert api.get(PATH).status_code == 404
    signed_in.page.get_by_role("button", name="Undo").click()
    signed_in.sees("undone")
    assert api.get(PATH).json() == POLICY


def test_an_integer_of_any_length_survives_an_edit(api: httpx.Client, signed_in: Desk) -> None:
    long = 90071992547409931234567890
    api.patch(PATH, json={"conditions": {"resource_attrs": [{"key": "pages", "op": "lt", "value": long}]}})
    signed_in.go(EDITOR)
    wait_for_text(signed_in, str(long))
    expect(signed_in.page.get_by_label("Condition 1: value", exact=True)).to_have_value(str(long))
    signed_in.page.get_by_label("Priority").fill("8")
    wait_for_text(signed_in, "priority 8")
    save(signed_in)
    signed_in.sees("The policy is saved.")
    assert api.get(PATH).json()["conditions"]["resource_attrs"][0]["value"] == long


def test_text_that_is_not_saved_is_not_lost_without_asking(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go(EDITOR)
    wait_for_text(signed_in, '"draft"')
    signed_in.page.get_by_label("Priority").fill("8")
    asked: list[str] = []
    signed_in.page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    signed_in.go("#/default/roles")
    assert asked == ["What you wrote here is not saved. Leave it?"]
    expect(signed_in.page.get_by_label("Priority")).to_have_value("8")
    signed_in.page.once("dialog", lambda dialog: dialog.accept())
    signed_in.go("#/default/roles")
    signed_in.page.get_by_role("heading", name="Roles").wait_for()


def test_a_reader_is_offered_no_change(api: httpx.Client, at_desk: Desk) -> None:
    made = api.post("/v1/api-keys", json={"name": "reader", "scopes": ["read"]}).json()
    at_desk.sign_in(made["key"], PAGE)
    at_desk.sees("This credential may only read")
    at_desk.settle()
    expect(at_desk.page.get_by_role("button", name="Delete")).to_have_count(0)
    expect(at_desk.page.get_by_role("link", name="Edit", exact=True)).to_have_count(0)


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=range(len(HOSTILE_NAMES)))
def test_hostile_names_break_nothing(name: str, signed_in: Desk, server: Server) -> None:
    body = POLICY | {"id": name, "name": name, "description": name}
    body["conditions"] = {"resource_attrs": [{"key": "status", "op": "eq", "value": name}]}
    with server.client() as client:
        made = client.post("/v1/environments/default/policies", json=body)
        assert made.status_code == 201, made.text
        try:
            signed_in.go("#/default/policies?role=editor")
            signed_in.page.locator("tbody a", has_text=as_seen(name.strip()[:60])).first.click()
            signed_in.page.get_by_role("link", name="Edit", exact=True).click()
            signed_in.sees_value("Name", name)
            signed_in.settle()
            assert signed_in.page.title().endswith("default · Writ")
        finally:
            client.delete(made.headers["Location"])
