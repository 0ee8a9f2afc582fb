"""Try a decision: the answer with its proof, and a link that asks the same again (issue 19, item 5)."""

import json
import re
import shlex
from urllib.parse import urlencode

import pytest

from tests.support.console import PHONE, Desk, expect

pytestmark = pytest.mark.browser

QUESTION = {
    "subject": {"type": "user", "id": "hana.abdi"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1", "properties": {"classification": "secret"}},
}


def link(question: object, page: str = "try") -> str:
    return f"#/default/{page}?" + urlencode({"q": json.dumps(question)})


def fill(desk: Desk, **fields: str) -> None:
    for label, text in fields.items():
        desk.page.get_by_label(label.replace("_", " ").capitalize(), exact=True).fill(text)


def test_a_denial_tells_its_reason_and_each_comparison(signed_in: Desk) -> None:
    signed_in.go("#/default/try")
    fill(signed_in, Subject_id="hana.abdi", Action="read", Resource_type="document", Resource_id="d1")
    signed_in.page.get_by_label("Resource properties").fill('{"classification": "secret"}')
    signed_in.page.get_by_role("button", name="Decide").click()
    signed_in.sees("Denied")
    signed_in.sees("CONDITION_FAILED")
    tried = signed_in.page.locator(".proof li").filter(has_text="resource.classification")
    expect(tried.first).to_contain_text("does not hold")
    expect(tried.first).to_contain_text('"secret"')
    expect(signed_in.page.get_by_text("To allow it").first).to_be_visible()
    way = signed_in.page.get_by_role("list", name="Way of access")
    expect(way.locator(".broken")).to_contain_text("not hold in")
    expect(way.get_by_role("listitem").first).to_contain_text("hana.abdi")


def test_what_would_allow_is_filled_in_and_allows(signed_in: Desk) -> None:
    """D11: the change of the resource's owner, sent with the request, allows it."""
    signed_in.go(link(QUESTION))
    signed_in.sees("To allow it")
    owner = signed_in.page.get_by_role("listitem").filter(has_text="The owner of the resource sets").first
    expect(owner).to_contain_text("resource.classification")
    owner.get_by_role("link", name="Fill in the request").click()
    signed_in.sees("Allowed")
    expect(signed_in.page.get_by_label("Resource properties")).not_to_have_value(re.compile("secret"))


def test_a_lacking_role_does_not_promise_that_the_role_is_enough(signed_in: Desk) -> None:
    """The conditions of a policy are not tried without its role, and the page says so."""
    question = QUESTION | {
        "resource": {"type": "document", "id": "d1", "properties": {"classification": "confidential"}}
    }
    signed_in.go(link(question))
    signed_in.page.get_by_text("What each policy needs").click()
    needs = signed_in.page.locator(".todo").filter(has_text="one of these policies must hold")
    needs.get_by_text("its conditions, which are not tried without the role").first.wait_for()
    signed_in.settle()
    expect(needs).not_to_contain_text("is enough")


def test_the_link_asks_the_same_and_reaches_no_server(at_desk: Desk) -> None:
    asked: list[str] = []
    at_desk.page.on("request", lambda request: asked.append(request.url))
    at_desk.sign_in(place=link(QUESTION))
    at_desk.sees("Denied")
    expect(at_desk.page.get_by_label("Subject id")).to_have_value("hana.abdi")
    at_desk.settle()
    told = {url for url in asked if "hana.abdi" in url}
    assert told <= {f"{at_desk.server.url}/v1/environments/default/subjects/user/hana.abdi"}, "as her own page asks"


def test_the_filter_is_shown_as_tree_as_sql_and_as_rows(signed_in: Desk) -> None:
    signed_in.go(link(QUESTION))
    signed_in.page.get_by_role("button", name="Show the filter of this subject").click()
    signed_in.sees("Registered resources that it selects")
    signed_in.page.locator("pre").filter(has_text="jsonb").wait_for()
    signed_in.page.get_by_label("Database").select_option("mysql")
    signed_in.page.locator("pre").filter(has_text="JSON_EXTRACT").wait_for()
    signed_in.page.get_by_role("cell").first.wait_for()


def test_a_text_that_is_no_object_is_told_at_its_field(signed_in: Desk) -> None:
    signed_in.go("#/default/try")
    fill(signed_in, Subject_id="hana.abdi", Action="read", Resource_type="document", Resource_id="d1")
    context = signed_in.page.get_by_label("Context")
    context.fill("[1]")
    signed_in.page.get_by_role("button", name="Decide").click()
    signed_in.sees('Write a JSON object, like {"status": "draft"}.')
    expect(context).to_have_attribute("aria-invalid", "true")


def test_a_question_can_be_pasted_as_json_and_copied_as_a_command(signed_in: Desk) -> None:
    signed_in.go("#/default/try")
    fill(signed_in, Subject_id="x", Action="x", Resource_type="x", Resource_id="x")
    signed_in.page.get_by_role("button", name="As JSON").click()
    signed_in.page.get_by_label("Change it here").fill(json.dumps(QUESTION))
    signed_in.page.get_by_role("button", name="Take it over").click()
    expect(signed_in.page.get_by_label("Subject id")).to_have_value("hana.abdi")
    signed_in.page.get_by_role("button", name="As curl").click()
    command = signed_in.page.locator("dialog pre").inner_text()
    assert f"{signed_in.server.url}/environments/default/access/v1/evaluation" in command
    assert "$WRIT_KEY" in command


def test_a_command_is_one_word_for_each_value(signed_in: Desk) -> None:
    """An environment's name in a link comes from whoever wrote the link; a shell must not run it."""
    signed_in.go("#/a'$(touch owned)'b/try")
    fill(signed_in, Subject_id="it's", Action="x", Resource_type="x", Resource_id="x")
    signed_in.page.get_by_role("button", name="As curl").click()
    words = shlex.split(signed_in.page.locator("dialog pre").inner_text().replace("\\\n", " "))
    assert words[:2] == ["curl", "-s"]
    assert words[2] == f"{signed_in.server.url}/environments/a'%24(touch%20owned)'b/access/v1/evaluation"
    assert [words[3], words[5], words[7]] == ["-H", "-H", "-d"]
    assert json.loads(words[8])["subject"]["id"] == "it's"
    assert len(words) == 9


def test_a_question_is_saved_as_a_policy_test(signed_in: Desk) -> None:
    signed_in.go(link(QUESTION))
    signed_in.sees("Denied")
    signed_in.page.get_by_role("button", name="Save as test").click()
    signed_in.page.get_by_label("Id of the test").fill("hana-and-secrets")
    signed_in.page.get_by_role("button", name="Save the test").click()
    signed_in.sees("The test is saved.")
    with signed_in.client() as api:
        report = api.post("/v1/environments/default/tests:run", json={}).json()
    assert "hana-and-secrets" in json.dumps(report)


INTERNAL = QUESTION | {"resource": {"type": "document", "id": "d1", "properties": {"classification": "internal"}}}


def decide(desk: Desk) -> None:
    desk.page.get_by_role("button", name="Decide").click()


def test_registered_attributes_are_added_unless_the_user_says_no(signed_in: Desk) -> None:
    """E9: the answer, its filter and its address all have the option."""
    question = QUESTION | {"resource": {"type": "document", "id": "handbook-travel"}}
    with signed_in.client() as api:
        stored = api.get("/v1/environments/default/resources/document/handbook-travel").json()
    assert stored["attributes"]["classification"] in ("internal", "public")
    signed_in.go(link(question))
    signed_in.sees("Allowed")
    signed_in.page.get_by_label("Add the registered attributes").uncheck()
    decide(signed_in)
    signed_in.sees("Denied")
    signed_in.page.reload()
    signed_in.sign_in(place=signed_in.page.url.split("/console/")[1])
    signed_in.sees("Denied")
    expect(signed_in.page.get_by_label("Add the registered attributes")).not_to_be_checked()


def test_a_button_does_not_move_away_while_it_is_pressed(signed_in: Desk) -> None:
    """To leave the field of an id reads the stored attributes, which stand above the button."""
    signed_in.go("#/default/try")
    fill(signed_in, Subject_id="hana.abdi", Action="read", Resource_type="document", Resource_id="handbook-travel")
    button = signed_in.page.get_by_role("button", name="Decide")
    button.scroll_into_view_if_needed()
    signed_in.settle()
    place = button.bounding_box()
    signed_in.page.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    with signed_in.page.expect_response("**/resources/document/handbook-travel*"):
        signed_in.page.mouse.down()
    signed_in.settle()
    assert button.bounding_box() == place
    signed_in.page.mouse.up()
    expect(signed_in.page.get_by_role("list", name="Way of access")).to_be_visible()
    assert button.bounding_box() != place, "the attributes are shown after the press"


def test_a_stored_attribute_can_be_changed_for_the_question(signed_in: Desk) -> None:
    """E9: what is sent counts in the place of what is stored."""
    signed_in.go(link(QUESTION | {"resource": {"type": "document", "id": "handbook-travel"}}))
    signed_in.sees("Allowed")
    signed_in.page.get_by_role("button", name="Change classification for this question").click()
    sent = signed_in.page.get_by_label("Resource properties")
    assert json.loads(sent.input_value())["classification"] in ("internal", "public")
    sent.fill('{"classification": "secret", "path": null}')
    decide(signed_in)
    signed_in.sees("Denied")
    signed_in.sees("another is sent")
    assert signed_in.serious() == []


def test_an_actor_asks_on_behalf_of_the_subject(signed_in: Desk) -> None:
    """A1: only the actor is denied. The page says for whom, and has both proofs."""
    signed_in.go(link(INTERNAL))
    signed_in.sees("Allowed")
    signed_in.page.get_by_label("An actor asks on behalf").check()
    signed_in.page.get_by_label("Actor id").fill("summaries")
    signed_in.page.get_by_label("Actor properties").fill('{"team": "docs"}')
    decide(signed_in)
    signed_in.sees("Denied for the actor")
    signed_in.sees("for the subject, who is allowed")
    signed_in.sees("for the actor, who is denied")
    assert signed_in.serious() == []
    signed_in.page.get_by_role("button", name="As JSON").click()
    written = json.loads(signed_in.page.get_by_label("Change it here").input_value())
    assert written["options"] == {
        "attributes": "registered",
        "actor": {"type": "service", "id": "summaries", "properties": {"team": "docs"}},
    }


def test_an_actor_who_is_allowed_has_its_proof_too(signed_in: Desk) -> None:
    """A1, with the filter that both have in common."""
    signed_in.go(link(INTERNAL | {"options": {"actor": QUESTION["subject"]}}))
    signed_in.sees("for the actor, who is allowed too")
    with signed_in.page.expect_request("**/search/resource") as asked:
        signed_in.page.get_by_role("button", name="Show the filter of this subject").click()
    assert asked.value.post_data_json["options"]["actor"] == QUESTION["subject"]
    signed_in.sees("Registered resources that it selects")


@pytest.mark.parametrize("phone", [False, True])
def test_everybody_can_use_it(signed_in: Desk, phone: bool) -> None:
    if phone:
        signed_in.page.set_viewport_size(PHONE)
    signed_in.go(link(QUESTION))
    signed_in.sees("Denied")
    assert signed_in.serious() == []
    assert signed_in.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
