"""The elements of a model in the console: lists, forms, and what refers to them (issue 19, item 4)."""

import re
from collections.abc import Iterator
from urllib.parse import quote

import httpx
import pytest

from tests.support.console import HOSTILE_NAMES, Desk, as_seen, desk, expect
from tests.support.server import KEY, Server

pytestmark = pytest.mark.browser

BASE = "/v1/environments/default"
SEGMENTS = (
    "policies",
    "roles",
    "groups",
    "subjects",
    "resource-types",
    "resources",
    "assignments",
    "grants",
    "routes",
    "tests",
)


@pytest.fixture
def api(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


def review(at: Desk, button: str) -> None:
    at.page.get_by_role("button", name="Review and save").click()
    at.page.get_by_role("button", name=button).click()


@pytest.mark.parametrize("segment", SEGMENTS)
def test_everybody_can_use_each_list(segment: str, signed_in: Desk) -> None:
    signed_in.go(f"#/default/{segment}")
    signed_in.page.get_by_role("button", name="Filter").wait_for()
    assert signed_in.serious() == []


@pytest.mark.parametrize("segment", SEGMENTS[1:])
def test_everybody_can_use_each_form(segment: str, signed_in: Desk) -> None:
    signed_in.go(f"#/default/{segment}?new=yes")
    signed_in.page.get_by_role("button", name="Review and save").wait_for()
    assert signed_in.serious() == []


def test_a_role_is_renamed_and_the_change_undone(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go("#/default/roles/editor")
    signed_in.page.get_by_label("Name", exact=True).fill("Editor in chief")
    review(signed_in, "Save the role")
    signed_in.sees("The role is saved.")
    assert api.get(f"{BASE}/roles/editor").json()["name"] == "Editor in chief"
    signed_in.page.get_by_role("button", name="Undo").click()
    signed_in.sees("undone")
    assert api.get(f"{BASE}/roles/editor").json()["name"] == "Editor"
    signed_in.sees_value("Name", "Editor")


def test_what_refers_to_a_role_is_shown_before_it_goes(api: httpx.Client, signed_in: Desk) -> None:
    api.post(f"{BASE}/roles", json={"id": "visitor"})
    api.post(f"{BASE}/assignments", json={"id": "v1", "role": "visitor", "subject": {"type": "user", "id": "v"}})
    signed_in.go("#/default/roles/visitor")
    signed_in.page.get_by_role("button", name="Delete").click()
    signed_in.page.get_by_label("To confirm, type").fill("visitor")
    signed_in.page.get_by_role("button", name="Delete the role").click()
    signed_in.sees("is still used")
    signed_in.page.get_by_role("button", name="Cancel").click()
    expect(signed_in.page.get_by_role("link", name="v1")).to_have_attribute("href", "#/default/assignments/v1")
    signed_in.page.get_by_role("button", name="Delete it with these references").click()
    signed_in.page.get_by_label("To confirm, type").fill("visitor")
    signed_in.page.get_by_role("button", name="Delete the role").click()
    signed_in.sees("The role is deleted.")
    assert api.get(f"{BASE}/assignments/v1").status_code == 404


def test_a_group_opens_to_show_who_is_in_it(api: httpx.Client, signed_in: Desk) -> None:
    api.post(f"{BASE}/groups", json={"id": "aa-inner", "members": [{"type": "user", "id": "inga"}]})
    api.post(f"{BASE}/groups", json={"id": "aa-outer", "members": [{"group": "aa-inner"}]})
    signed_in.go("#/default/groups")
    signed_in.page.get_by_role("button", name="Members of aa-outer").click()
    signed_in.page.get_by_role("button", name="Members of aa-inner").click()
    expect(signed_in.page.get_by_role("link", name="inga")).to_have_attribute("href", "#/default/subjects/user/inga")
    assert signed_in.serious() == []


def test_groups_that_contain_each_other_end(api: httpx.Client, signed_in: Desk) -> None:
    api.post(f"{BASE}/groups", json={"id": "ab-one"})
    api.post(f"{BASE}/groups", json={"id": "ab-two", "members": [{"group": "ab-one"}]})
    api.put(f"{BASE}/groups/ab-one", json={"members": [{"group": "ab-two"}]})
    signed_in.go("#/default/groups")
    signed_in.page.get_by_role("button", name="Members of ab-one").click()
    signed_in.page.get_by_role("button", name="Members of ab-two").click()
    signed_in.sees("! loop")


def test_a_member_is_added_to_a_group(api: httpx.Client, signed_in: Desk) -> None:
    api.post(f"{BASE}/groups", json={"id": "ac-team", "members": [{"type": "user", "id": "one"}]})
    signed_in.go("#/default/groups/ac-team")
    signed_in.page.get_by_label("Subject: id").fill("two")
    signed_in.page.get_by_role("button", name="Add the member").click()
    signed_in.page.get_by_role("button", name="Remove user one").click()
    review(signed_in, "Save the group")
    signed_in.sees("The group is saved.")
    assert api.get(f"{BASE}/groups/ac-team").json()["members"] == [{"type": "user", "id": "two"}]


def test_a_resource_type_declares_attributes(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go("#/default/resource-types?new=yes")
    signed_in.page.get_by_label("Id", exact=True).fill("invoice")
    actions = signed_in.page.get_by_role("textbox", name="Actions")
    for action in ("view", "pay"):
        actions.fill(action)
        actions.press("Enter")
    signed_in.page.get_by_label("Closed").check()
    signed_in.page.get_by_role("button", name="Add an attribute").click()
    signed_in.page.get_by_role("group", name="Attributes").get_by_label("Name").fill("amount")
    signed_in.page.get_by_role("group", name="Attributes").get_by_label("Type").select_option("number")
    review(signed_in, "Create the resource type")
    signed_in.sees("The resource type is created.")
    made = api.get(f"{BASE}/resource-types/invoice").json()
    assert made == {"id": "invoice", "actions": ["view", "pay"], "closed": True, "attributes": {"amount": "number"}}


def test_a_fault_stands_at_its_field_in_the_words_of_the_service(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go("#/default/assignments?new=yes")
    signed_in.page.get_by_label("Role", exact=True).fill("edditor")
    signed_in.page.get_by_label("Subject: id").fill("vera")
    signed_in.page.get_by_role("button", name="Review and save").click()
    signed_in.page.locator("[id='$.role-fault']").wait_for()
    expect(signed_in.page.get_by_label("Role", exact=True)).to_be_focused()
    expect(signed_in.page.get_by_role("dialog")).to_have_count(0)


def test_an_assignment_that_is_there_already_is_not_offered_for_undoing(api: httpx.Client, signed_in: Desk) -> None:
    held = {"role": "editor", "subject": {"type": "user", "id": "twice"}}
    made = api.post(f"{BASE}/assignments", json=held).json()
    signed_in.go("#/default/assignments?new=yes&role=editor&subject.id=twice")
    review(signed_in, "Create the assignment")
    signed_in.sees("This assignment was there already.")
    signed_in.settle()
    expect(signed_in.page.get_by_role("button", name="Undo")).to_have_count(0)
    assert api.get(f"{BASE}/assignments/{made['id']}").status_code == 200


def test_a_grant_may_be_for_a_group(api: httpx.Client, signed_in: Desk) -> None:
    """P7: the form asks for a subject or a group, and lists name the group."""
    group = api.get(f"{BASE}/groups?limit=1").json()["items"][0]["id"]
    signed_in.go("#/default/grants?new=yes")
    signed_in.page.get_by_label("Id", exact=True).fill("team-grant")
    signed_in.page.get_by_label("Holder").select_option("a group")
    signed_in.page.get_by_label("Group", exact=True).fill(group)
    signed_in.page.get_by_label("Resource: type").fill("document")
    signed_in.page.get_by_label("Resource: id").fill("d1")
    signed_in.page.get_by_role("checkbox", name="read").check()
    review(signed_in, "Create the grant")
    signed_in.sees("The grant is created.")
    made = api.get(f"{BASE}/grants/team-grant").json()
    assert (made["group"], "subject" in made) == (group, False)
    signed_in.go(f"#/default/groups/{group}")
    signed_in.sees("Direct grants of the group")
    signed_in.go(f"#/default/grants?group={group}")
    signed_in.sees("team-grant")


def test_a_grant_ends_when_it_should(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go("#/default/grants?new=yes")
    signed_in.page.get_by_label("Id", exact=True).fill("short-grant")
    signed_in.page.get_by_label("Subject: id").fill("vera")
    signed_in.page.get_by_label("Resource: type").fill("document")
    signed_in.page.get_by_label("Resource: id").fill("d1")
    signed_in.page.get_by_role("checkbox", name="read").check()
    ends = signed_in.page.get_by_label("Ends", exact=True)
    understood = signed_in.page.locator("[id='$.expires_at-understood']")
    ends.fill("soon")
    signed_in.sees("names no instant")
    expect(signed_in.page.get_by_role("button", name="Review and save")).to_be_disabled()
    ends.fill("Friday 18:00")
    expect(understood).to_contain_text(re.compile(r"^Fri \d{4}-\d\d-\d\d 18:00, "))
    signed_in.page.get_by_role("button", name="Ends: in 2 weeks").click()
    expect(ends).to_have_value("in 2 weeks")
    expect(understood).to_contain_text("in 14 days")
    assert signed_in.serious() == []
    review(signed_in, "Create the grant")
    signed_in.sees("The grant is created.")
    made = api.get(f"{BASE}/grants/short-grant").json()
    assert made["expires_at"].endswith("Z")
    assert made["actions"] == ["read"]
    signed_in.go("#/default/grants?subject.id=vera")
    signed_in.sees("Ends within 30 days")
    signed_in.sees("short-grant")


def test_attributes_keep_their_types(api: httpx.Client, signed_in: Desk) -> None:
    attributes = {"level": 3, "tags": ["a", "b"], "remote": True, "contract": {"hours": 37.5}, "none": None}
    api.post(f"{BASE}/subjects", json={"type": "user", "id": "typed", "attributes": attributes})
    signed_in.go("#/default/subjects/user/typed")
    signed_in.page.get_by_label("External id").fill("idp|typed")
    review(signed_in, "Save the subject")
    signed_in.sees("The subject is saved.")
    assert api.get(f"{BASE}/subjects/user/typed").json()["attributes"] == attributes


def test_a_subject_is_opened_by_its_id(signed_in: Desk) -> None:
    signed_in.go("#/default/subjects")
    signed_in.page.get_by_role("form", name="Open a subject").get_by_label("Id").fill("hana.abdi")
    signed_in.page.get_by_role("button", name="Open the subject").click()
    signed_in.page.get_by_role("heading", name="hana.abdi").wait_for()


def test_a_subject_shows_what_it_holds_and_why(api: httpx.Client, signed_in: Desk) -> None:
    api.post(f"{BASE}/groups", json={"id": "ad-inner", "members": [{"type": "user", "id": "holder"}]})
    api.post(f"{BASE}/groups", json={"id": "ad-outer", "members": [{"group": "ad-inner"}]})
    api.post(f"{BASE}/assignments", json={"id": "ad-1", "role": "editor", "group": "ad-outer"})
    signed_in.go("#/default/subjects/user/holder")
    roles = signed_in.page.locator("section", has_text="Roles, and why")
    expect(roles).to_contain_text("through group ad-inner → ad-outer")
    assert signed_in.serious() == []


def test_a_subject_that_only_a_group_names_has_a_page(api: httpx.Client, signed_in: Desk) -> None:
    api.post(f"{BASE}/groups", json={"id": "ae-team", "members": [{"type": "user", "id": "named-only"}]})
    signed_in.go("#/default/subjects/user/named-only")
    signed_in.sees("Create an entry")
    groups = signed_in.page.locator("section", has=signed_in.page.get_by_role("heading", name="Groups", exact=True))
    groups.get_by_role("link", name="ae-team").wait_for()


def test_a_route_is_placed_before_another(api: httpx.Client, signed_in: Desk) -> None:
    later = {"id": "all-documents", "methods": ["GET"], "path": "/d/*", "resource_type": "document", "action": "read"}
    api.post(f"{BASE}/routes", json=later | {"resource_id": "main"})
    signed_in.go("#/default/routes?new=yes")
    signed_in.page.get_by_label("Id", exact=True).fill("one-document")
    signed_in.page.get_by_label("Path").fill("/d/{id}")
    signed_in.page.get_by_label("Resource type").fill("document")
    signed_in.page.get_by_label("Action", exact=True).fill("read")
    signed_in.page.get_by_label("Comes before").fill("all-documents")
    review(signed_in, "Create the route")
    signed_in.sees("The route is created.")
    assert [one["id"] for one in api.get(f"{BASE}/routes").json()["items"]] == ["one-document", "all-documents"]


def test_a_route_is_marked_for_requests_without_a_credential(api: httpx.Client, signed_in: Desk) -> None:
    """E11."""
    route = {"id": "public", "methods": ["GET"], "path": "/p/{id}", "resource_type": "document", "action": "read"}
    api.post(f"{BASE}/routes", json=route)
    signed_in.go("#/default/routes/public")
    signed_in.page.get_by_label("Also for requests without a credential").check()
    review(signed_in, "Save the route")
    signed_in.sees("The route is saved.")
    signed_in.sees("it asks for the anonymous subject of the gateway settings")
    assert api.get(f"{BASE}/routes/public").json() == route | {"anonymous": True}
    signed_in.go("#/default/routes")
    expect(signed_in.page.get_by_role("row", name="public")).to_contain_text("anonymous")


def test_undoing_puts_a_route_back_to_its_place(api: httpx.Client, signed_in: Desk) -> None:
    for name in ("first", "second", "third"):
        body = {"id": name, "methods": ["GET"], "path": f"/{name}", "resource_type": "document", "action": "read"}
        api.post(f"{BASE}/routes", json=body | {"resource_id": "main"})
    order = api.get(f"{BASE}/routes").json()
    signed_in.go("#/default/routes/first")
    signed_in.page.get_by_role("button", name="Delete").click()
    signed_in.page.get_by_label("To confirm, type").fill("first")
    signed_in.page.get_by_role("button", name="Delete the route").click()
    signed_in.sees("The route is deleted.")
    signed_in.page.get_by_role("button", name="Undo").click()
    signed_in.sees("undone")
    assert api.get(f"{BASE}/routes").json() == order
    signed_in.go("#/default/routes/second")
    signed_in.page.get_by_label("Move before").fill("first")
    review(signed_in, "Save the route")
    signed_in.sees("The route is saved.")
    assert api.get(f"{BASE}/routes").json() != order
    signed_in.page.get_by_role("button", name="Undo").click()
    signed_in.sees("undone")
    assert api.get(f"{BASE}/routes").json() == order


def test_a_refusal_stands_where_it_happened(api: httpx.Client, signed_in: Desk) -> None:
    api.post("/v1/environments", json={"id": "by-promotion", "promotion_only": True})
    signed_in.go("#/by-promotion/roles?new=yes")
    signed_in.page.get_by_label("Id", exact=True).fill("fresh")
    signed_in.page.get_by_role("button", name="Review and save").click()
    expect(signed_in.page.get_by_role("alert").first).to_contain_text("promotion")
    expect(signed_in.page.get_by_role("dialog")).to_have_count(0)


def test_a_reader_sees_the_form_but_cannot_change_it(api: httpx.Client, at_desk: Desk) -> None:
    made = api.post("/v1/api-keys", json={"name": "reader", "scopes": ["read"]}).json()
    at_desk.sign_in(made["key"], "#/default/roles/editor")
    at_desk.sees("This credential may only read, so it can't change the role.")
    expect(at_desk.page.get_by_label("Name", exact=True)).to_be_disabled()
    at_desk.settle()
    expect(at_desk.page.get_by_role("button", name="Delete")).to_have_count(0)


def test_a_session_that_ends_while_saving_goes_on_after_the_next_sign_in(api: httpx.Client, at_desk: Desk) -> None:
    made = api.post("/v1/api-keys", json={"name": "short", "scopes": ["write"]}).json()
    at_desk.sign_in(made["key"], "#/default/roles/editor")
    at_desk.page.get_by_label("Name", exact=True).fill("Editor, unsaved")
    api.delete(f"/v1/api-keys/{made['id']}")
    at_desk.page.get_by_role("button", name="Review and save").click()
    at_desk.sees("Your session has ended")
    at_desk.page.get_by_label("API key, or the administrator's key").fill(KEY)
    at_desk.page.get_by_role("button", name="Sign in").click()
    at_desk.page.get_by_role("heading", name="Editor", level=1).wait_for()
    assert api.get(f"{BASE}/roles/editor").json()["name"] == "Editor"


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=range(len(HOSTILE_NAMES)))
def test_a_hostile_name_is_text_everywhere(name: str, api: httpx.Client, signed_in: Desk) -> None:
    holder = {"type": name, "id": name}
    role = api.post(f"{BASE}/roles", json={"id": name, "name": name})
    assert role.status_code == 201, role.text
    api.post(f"{BASE}/groups", json={"id": name, "name": name, "members": [holder]})
    api.post(f"{BASE}/assignments", json={"id": name, "role": name, "group": name})
    api.post(f"{BASE}/subjects", json=holder | {"attributes": {name[:256]: name}})
    for place in ("roles", "groups", "assignments", "subjects"):
        key = f"{_part(name)}/{_part(name)}" if place == "subjects" else _part(name)
        signed_in.go(f"#/default/{place}/{key}")
        signed_in.page.get_by_role("heading", level=1, name=as_seen(name.split()[0])[:20]).first.wait_for()
        signed_in.page.get_by_role("button", name="Review and save").wait_for()
        signed_in.settle()
        assert signed_in.page.title().endswith("default · Writ")
        wide = signed_in.page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide, place


PLACES = ("policies", "groups", "resource-types/document", "policies?new=yes", "grants?new=yes")


@pytest.mark.parametrize("place", PLACES)
def test_a_phone_is_wide_enough(browser: object, server: Server, place: str) -> None:
    with desk(browser, server, phone=True) as phone:
        phone.sign_in(place=f"#/default/{place}")
        phone.settle()
        assert not phone.page.evaluate("document.documentElement.scrollWidth > innerWidth")


def _part(name: str) -> str:
    """A segment of a path, as the page writes it."""
    return quote(name, safe="")


MADE_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""An id that the service makes. It says nothing to people."""


def test_an_assignment_is_a_sentence_where_it_ends(api: httpx.Client, signed_in: Desk) -> None:
    holder = {"type": "user", "id": "hana.abdi"}
    made = api.post(f"{BASE}/assignments", json={"role": "auditor", "subject": holder}).json()
    signed_in.go(f"#/default/assignments/{made['id']}")
    signed_in.page.get_by_role("heading", name="user hana.abdi holds auditor").wait_for()
    signed_in.page.get_by_role("button", name="Delete", exact=True).click()
    dialog = signed_in.page.get_by_role("dialog")
    dialog.get_by_text("assign auditor to user hana.abdi").wait_for()
    lost = dialog.locator(".people").get_by_text("− loses").first
    lost.wait_for()
    expect(dialog.get_by_role("link", name="try this example").first).to_have_attribute("target", "_blank")
    assert signed_in.serious() == []
    assert not MADE_ID.search(dialog.inner_text())
    signed_in.page.get_by_label("To confirm, type").fill("auditor")
    signed_in.page.get_by_role("button", name="Delete the assignment").click()
    signed_in.sees("The assignment is deleted.")
    assert api.get(f"{BASE}/assignments/{made['id']}").status_code == 404


def test_what_refers_to_an_element_is_told_in_sentences(api: httpx.Client, signed_in: Desk) -> None:
    api.post(f"{BASE}/roles", json={"id": "night shift"})
    holder = {"type": "user", "id": "x`y"}
    made = api.post(f"{BASE}/assignments", json={"role": "night shift", "subject": holder}).json()
    signed_in.go("#/default/roles/night%20shift")
    signed_in.page.get_by_role("button", name="Delete", exact=True).click()
    signed_in.page.get_by_role("dialog").get_by_role("alert").wait_for()
    signed_in.settle()
    assert not MADE_ID.search(signed_in.page.get_by_role("dialog").inner_text())
    signed_in.page.keyboard.press("Escape")
    told = signed_in.page.locator("section").filter(has_text="What refers to it")
    expect(told.get_by_role("link", name='assign "night shift" to user "x`y"')).to_have_count(1)
    assert not MADE_ID.search(told.inner_text())
    told.get_by_role("link", name='assign "night shift" to user "x`y"').click()
    signed_in.page.get_by_role("heading", name="user x`y holds night shift").wait_for()
    assert made["id"] in signed_in.page.url
