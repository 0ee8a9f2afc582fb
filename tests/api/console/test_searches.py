"""Who can, what can they see, the matrix and the access review (issue 19, item 6)."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api.console.test_try import link
from tests.support.console import PHONE, Desk, expect

pytestmark = pytest.mark.browser

WHO = {
    "subject": {"type": "user"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "handbook-travel", "properties": {"classification": "internal"}},
}
WHAT = {"subject": {"type": "user", "id": "hana.abdi"}, "action": {"name": "read"}, "resource": {"type": "document"}}


def found(desk: Desk, kind: str, body: dict[str, Any]) -> Iterator[str]:
    """All that the API finds, through its pages, as pages ask: with the stored attributes, and decided."""
    token = None
    body = {"context": {}, **body, "options": {"attributes": "registered"} | body.get("options", {})}
    with desk.client() as api:
        while token != "":
            page = {"limit": 1000} | ({"token": token} if token else {})
            answer = api.post(f"/access/v1/search/{kind}", json={**body, "page": page}).json()
            token = answer["page"]["next_token"]
            yield from (one["id"] for one in answer["results"])


def word(cell: str) -> str:
    """The word of a cell, without its mark."""
    return cell.strip("✓–◐✕? \n")


def shown(desk: Desk) -> list[str]:
    desk.page.locator("tbody tr").first.wait_for()
    desk.settle()
    return [row.split()[0] for row in desk.page.locator("tbody tr").all_inner_texts()]


def test_who_can_pages_through_all_subjects(signed_in: Desk) -> None:
    signed_in.go(link(WHO, "who-can"))
    first = shown(signed_in)
    assert len(first) == 100
    signed_in.page.get_by_role("link", name="Next page").click()
    signed_in.page.get_by_text(first[0], exact=True).wait_for(state="detached")
    assert [*first, *shown(signed_in)] == [*found(signed_in, "subject", WHO)][:200]
    signed_in.page.go_back()
    signed_in.page.get_by_text(first[0], exact=True).wait_for()


def test_the_whole_answer_is_saved_as_csv(signed_in: Desk, tmp_path: Path) -> None:
    signed_in.go(link(WHO, "who-can"))
    with signed_in.page.expect_download() as download:
        signed_in.page.get_by_role("button", name="Save as CSV").click()
    download.value.save_as(tmp_path / "who.csv")
    with (tmp_path / "who.csv").open(newline="") as file:
        rows = [*csv.reader(file)]
    assert rows[0] == ["Subject", "Type", "External id", "Through"]
    assert [row[0] for row in rows[1:]] == [*found(signed_in, "subject", WHO)]


def test_what_can_they_see_lists_the_resources(signed_in: Desk) -> None:
    signed_in.go(link(WHAT, "what-can"))
    body = {**WHAT, "options": {"return": "results"}}
    assert shown(signed_in) == [*found(signed_in, "resource", body)][:100]


def test_a_search_for_nothing_says_so(signed_in: Desk) -> None:
    signed_in.go(link({**WHAT, "action": {"name": "delete"}}, "what-can"))
    signed_in.sees("They may do this on no registered resource of this type.")


def named_open(desk: Desk) -> list[str]:
    """The attributes that the question leaves open, as the page names them."""
    desk.sees("The question leaves open:")
    desk.settle()
    return desk.page.locator("p").filter(has_text="The question leaves open:").locator("code").all_inner_texts()


def test_a_table_names_what_its_question_leaves_open(signed_in: Desk) -> None:
    """S6: the lists of actions in the table depend on the time."""
    signed_in.go(link(WHAT, "what-can"))
    shown(signed_in)
    assert "context.time" in named_open(signed_in)


def test_an_empty_list_names_what_its_question_leaves_open(signed_in: Desk) -> None:
    """S6: finance reads contracts from the office, and the question does not say from where."""
    office, elsewhere = {"mfa": True, "ip": "10.20.1.2"}, {"mfa": True}
    who = {"subject": {"type": "user"}, "action": {"name": "read"}, "resource": {"type": "contract", "id": "new"}}
    inside, outside = ({*found(signed_in, "subject", {**who, "context": one})} for one in (office, elsewhere))
    asked = {**who, "subject": {"type": "user", "id": min(inside - outside)}, "resource": {"type": "contract"}}
    signed_in.go(link({**asked, "context": elsewhere}, "what-can"))
    signed_in.sees("They may do this on no registered resource of this type.")
    assert named_open(signed_in) == ["context.ip"]


def test_the_matrix_says_what_the_filters_say(signed_in: Desk) -> None:
    signed_in.go("#/default/matrix?type=contract")
    row = signed_in.page.get_by_role("row").filter(has_text="andreas.bello")
    row.wait_for()
    signed_in.settle()
    assert [word(text) for text in row.get_by_role("cell").all_inner_texts()] == ["all", "all", "none", "all"]
    row.get_by_role("link", name="all").first.click()
    cell = signed_in.page.get_by_role("region", name="Cell")
    expect(cell.get_by_role("link", name="Edit").first).to_have_attribute("href", re.compile("^#/default/policies/"))
    cell.get_by_role("link", name="Show the resources").click()
    signed_in.page.get_by_role("heading", name="What can they see").wait_for()


def test_the_matrix_finds_a_row_by_a_part_of_its_name(signed_in: Desk) -> None:
    signed_in.go("#/default/matrix?type=contract")
    rows = signed_in.page.locator("main tbody tr")
    expect(rows.nth(5)).to_be_visible()
    part = signed_in.page.get_by_label("Part of a name or id")
    part.fill("hana ab")
    part.press("Enter")
    expect(rows).to_have_count(1)
    expect(rows.get_by_role("rowheader")).to_have_text("hana.abdi Hana Abdi")
    expect(signed_in.page).to_have_url(re.compile(r"type=contract&q=hana\+ab$"))
    assert signed_in.serious() == []
    part.fill("nobody is called so")
    part.press("Enter")
    expect(signed_in.page.locator("main")).to_contain_text("No name or id of the subjects has this part.")


def test_the_matrix_asks_once_for_all_rights(signed_in: Desk) -> None:
    """Issue 34, item 7: it was one request for each cell, 155 in all."""
    asked: list[str] = []
    signed_in.page.on("request", lambda request: asked.append(request.url))
    signed_in.go("#/default/matrix?type=document")
    signed_in.page.get_by_role("row").nth(1).wait_for()
    signed_in.settle()
    assert sum(url.endswith("/rights") for url in asked) == 1
    assert not any("/search/" in url for url in asked)


def test_a_cell_of_a_role_names_the_policies_for_it_and_for_others(signed_in: Desk) -> None:
    signed_in.go("#/default/matrix?rows=roles&type=contract")
    row = signed_in.page.get_by_role("row").filter(has=signed_in.page.get_by_text("auditor", exact=True)).first
    row.get_by_role("link", name="none").first.click()
    cell = signed_in.page.get_by_role("region", name="Cell")
    cell.get_by_text("No policy speaks of this role and action.").wait_for()
    cell.get_by_text("Policies about this action that do not count here").click()
    cell.get_by_role("listitem").first.wait_for()


def test_the_matrix_of_roles_says_what_policies_say(signed_in: Desk) -> None:
    signed_in.go("#/default/matrix")
    signed_in.page.get_by_label("Rows").select_option("roles")
    signed_in.page.get_by_label("Resource type").select_option("contract")
    row = signed_in.page.get_by_role("row").filter(has_text="contractor")
    expect(row).to_contain_text("denied")
    signed_in.settle()
    cells = signed_in.page.get_by_role("row").filter(has=signed_in.page.get_by_text("auditor", exact=True)).first
    assert [word(text) for text in cells.get_by_role("cell").all_inner_texts()] == ["all", "none", "none", "none"]
    suspended = signed_in.page.get_by_role("row").filter(has_text="suspended")
    assert {word(text) for text in suspended.get_by_role("cell").all_inner_texts()} == {"denied"}


def test_a_type_is_asked_for_by_its_name(signed_in: Desk) -> None:
    """Requests say the name of a type, which is not its id in the demo's personnel files."""
    signed_in.go("#/default/review/subject/user/hana.abdi")
    signed_in.page.get_by_role("row").filter(has_text="hr-file").filter(has_text="some").wait_for()
    signed_in.go(link({**WHAT, "resource": {"type": "personnel_file"}}, "what-can"))
    signed_in.page.get_by_role("link", name="pf-emea-10015").click()
    signed_in.page.get_by_role("heading", name="Hana Abdi, 10015").wait_for()


def test_a_review_of_a_subject_tells_where_each_right_comes_from(signed_in: Desk) -> None:
    signed_in.go("#/default/review")
    signed_in.page.get_by_label("Subject: type and id").fill("hana.abdi")
    signed_in.page.get_by_role("button", name="Open the review").first.click()
    signed_in.page.get_by_role("heading", name="hana.abdi").wait_for()
    signed_in.page.get_by_role("row").filter(has_text="employee").filter(has_text="staff").wait_for()
    right = signed_in.page.get_by_role("row").filter(has_text="document").filter(has_text="read").first
    right.filter(has_text="Employees read and comment on what is not secret").wait_for()
    signed_in.page.get_by_role("row").filter(has_text="hr-file").filter(has_text="own-file-10015").first.wait_for()
    signed_in.page.emulate_media(media="print")
    expect(signed_in.page.get_by_text("Signature")).to_be_visible()
    expect(signed_in.page.get_by_role("navigation", name="Console")).not_to_be_visible()


def test_a_review_of_a_role_tells_who_holds_it_and_what_it_gives(signed_in: Desk) -> None:
    signed_in.go("#/default/review/role/executive")
    signed_in.page.get_by_role("row").nth(1).wait_for()
    signed_in.sees("Executives read restricted documents on managed devices")
    signed_in.sees("Allows everyone with the role")


@pytest.mark.parametrize(
    "place",
    [link(WHO, "who-can"), link(WHAT, "what-can"), "#/default/matrix", "#/default/review/subject/user/hana.abdi"],
)
def test_everybody_can_use_them(signed_in: Desk, place: str) -> None:
    signed_in.page.set_viewport_size(PHONE)
    signed_in.go(place)
    signed_in.page.get_by_role("row").nth(1).wait_for()
    assert signed_in.serious() == []
    assert signed_in.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_search_counts_the_registered_attributes(signed_in: Desk) -> None:
    """E9 (issue 34): without the class of the document only seven were found. A request of the past may ask so."""
    who = WHO | {"resource": {"type": "document", "id": "handbook-travel"}}
    signed_in.go(link(who, "who-can"))
    complete = shown(signed_in)
    assert complete == [*found(signed_in, "subject", who)][:100]
    signed_in.sees("Stored attributes, which count too")
    signed_in.page.get_by_label("Add the registered attributes").uncheck()
    signed_in.page.get_by_role("button", name="Search").click()
    signed_in.page.get_by_text(complete[0], exact=True).wait_for(state="detached")
    bare = [*found(signed_in, "subject", {**who, "options": {"attributes": None}})]
    assert shown(signed_in) == bare[:100] != complete
    signed_in.sees("Stored attributes, which do not count")


def test_an_action_that_depends_on_its_own_attributes_is_an_if(signed_in: Desk) -> None:
    """Issue 34: an editor shares with a watermark, and the matrix and the printed review said "none", or nothing."""
    signed_in.go("#/default/review/subject/user/hana.abdi")
    right = signed_in.page.get_by_role("row").filter(has_text="document").filter(has_text="share").first
    right.filter(has_text="if action.watermark").wait_for()
    signed_in.go("#/default/matrix?type=document")
    row = signed_in.page.get_by_role("row").filter(has_text="andreas.bello")
    row.wait_for()
    signed_in.settle()
    cells = [word(text) for text in row.get_by_role("cell").all_inner_texts()]
    with signed_in.client() as api:
        body = {"subject": {"type": "user", "id": "andreas.bello"}, "resource": {"type": "document"}}
        body |= {"options": {"return": "filter", "attributes": "registered"}}
        for action, cell in zip(document_actions(api), cells, strict=True):
            answer = api.post("/access/v1/search/resource", json={**body, "action": {"name": action}}).json()
            named = answer["context"].get("left_open", [])
            assert ("if" in cell) == bool(named), action
            assert all(name in cell for name in named)


def document_actions(api: Any) -> list[str]:
    found = api.get("/v1/environments/default/resource-types/document").json()
    return [*found["actions"]]


def test_an_actor_searches_on_behalf_of_the_subject(signed_in: Desk) -> None:
    """A1: only what both may read is found."""
    signed_in.go(link(WHAT, "what-can"))
    alone = shown(signed_in)
    signed_in.page.get_by_label("An actor asks on behalf").check()
    signed_in.page.get_by_label("Actor type").fill("service")
    signed_in.page.get_by_label("Actor id").fill("summaries")
    signed_in.page.get_by_role("button", name="Search").click()
    options = {"return": "results", "actor": {"type": "service", "id": "summaries"}}
    both = [*found(signed_in, "resource", {**WHAT, "options": options})]
    assert len(both) < len(alone)
    signed_in.page.locator("tbody tr").nth(len(both)).wait_for(state="detached")
    assert shown(signed_in) == both
    expect(signed_in.page.get_by_label("Actor id")).to_have_value("summaries")


def test_an_empty_answer_tells_who_can_under_conditions(signed_in: Desk) -> None:
    """Without the value of the contract no subject is found; the page says who can sign which contracts."""
    who = {"subject": {"type": "user"}, "action": {"name": "sign"}, "resource": {"type": "contract", "id": "new"}}
    signed_in.page.set_viewport_size(PHONE)
    signed_in.go(link(who, "who-can"))
    signed_in.page.get_by_role("heading", name="Who can, if the request says more").wait_for()
    signed_in.sees("The question leaves open:")
    signed_in.page.locator(".region").filter(has_text="approvals").first.wait_for()
    assert signed_in.serious() == []
    assert signed_in.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("page", ["who-can", "what-can"])
@pytest.mark.parametrize(
    ("type", "said"),
    [("documnt", "did you mean document"), ("hr-file", "requests name this type personnel_file")],
)
def test_an_undeclared_type_is_told_before_any_work(signed_in: Desk, page: str, type: str, said: str) -> None:
    """It was "no registered subject may do this", also for a type's id, which requests do not say."""
    asked: list[str] = []
    signed_in.page.on("request", lambda request: asked.append(request.url))
    question = WHAT | {"resource": {"type": type, "id": "d1"}}
    signed_in.go(link(question, page))
    expect(signed_in.page.locator("#answer")).to_contain_text(said)
    signed_in.settle()
    expect(signed_in.page.locator("#answer")).not_to_contain_text("may do this on no")
    expect(signed_in.page.locator("#answer")).not_to_contain_text("No registered subject")
    assert not any("/search/" in url for url in asked)
