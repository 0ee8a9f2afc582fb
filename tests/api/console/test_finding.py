"""The palette, and lists that find a part of a name: by keyboard, among many people, with truth about their number."""

import csv
import io
import re
from typing import Any

import pytest

from tests.support.console import Desk, expect
from tests.support.server import Server

pytestmark = pytest.mark.browser

ROOT = "/v1/environments/many"
PEOPLE = 2_300
LONGEST = "<b>Zoë</b> \u202e" + "x" * 200


@pytest.fixture(scope="module", autouse=True)
def many(server: Server) -> None:
    """An environment with many people, one of whom has a hostile name."""
    people = [{"type": "user", "id": f"u{n:04}", "attributes": {"name": f"Person {n}"}} for n in range(PEOPLE)]
    people.append({"type": "user", "id": "z", "attributes": {"name": LONGEST}})
    model = {"model": 1, "roles": [{"id": "person-keeper"}], "subjects": people}
    model["assignments"] = [{"role": "person-keeper", "subject": {"type": "user", "id": "u0007"}}]
    with server.client() as api:
        assert api.post("/v1/environments", json={"id": "many"}).status_code == 201
        assert api.put(f"{ROOT}/model", json=model).status_code == 200


def test_a_person_is_found_by_keyboard_alone(signed_in: Desk) -> None:
    """`/`, a part of the name, the arrows and Enter. The focus stays in the field."""
    page = signed_in.page
    signed_in.go("#/many/subjects")
    expect(page.get_by_role("heading", name="Subjects")).to_be_visible()
    page.keyboard.press("/")
    field = page.get_by_role("combobox", name="A part of an id or a name")
    expect(field).to_be_focused()
    page.keyboard.type("PERSON 170")
    options = page.get_by_role("dialog").get_by_role("option")
    expect(options.first).to_have_text("Person 170 user u0170")
    expect(options.first).to_have_attribute("aria-selected", "true")
    assert signed_in.serious() == []
    page.keyboard.press("ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", str(options.last.get_attribute("id")))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Person 170")).to_be_visible()
    page.wait_for_url("**/#/many/subjects/user/u0170")
    expect(field).to_have_count(0)


def test_an_empty_page_of_a_list_that_goes_on_says_so(signed_in: Desk) -> None:
    """A page tries 20,000 elements: the answer of a list with more is that of this one, changed on its way."""

    def emptied(route: Any) -> None:
        found = route.fetch()
        route.fulfill(response=found, json={"items": [], "next_cursor": found.json()["next_cursor"] or "more"})

    signed_in.page.route("**/assignments?*limit=100*", emptied)
    signed_in.go("#/many/assignments?role=person-keeper&q=u")
    expect(signed_in.page.get_by_text("Nothing fits among the elements of this page. There are more.")).to_be_visible()
    expect(signed_in.page.get_by_role("link", name="Next page")).to_be_visible()


def test_the_palette_names_what_it_finds_and_leads_to_the_rest(signed_in: Desk) -> None:
    page = signed_in.page
    signed_in.go("#/many/overview")
    page.get_by_role("button", name="Find").click()
    field = page.get_by_role("dialog").get_by_role("combobox")
    field.fill("zoe")
    expect(page.get_by_role("dialog").get_by_role("option")).to_contain_text("<b>Zoë</b>")
    field.fill("person-k")
    expect(page.get_by_role("group", name="Assignments")).to_contain_text("user u0007 holds person-keeper")
    field.fill("nothing has this")
    signed_in.sees("Nothing has this text in its id or its name.")
    field.fill("histor")
    expect(page.get_by_role("group", name="Pages")).to_contain_text("History")
    field.fill("person")
    page.get_by_role("link", name="All subjects with this text").click()
    expect(page.get_by_role("status").get_by_text("2,300 subjects")).to_be_visible()
    page.keyboard.press("/")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)


def test_a_list_tells_its_number_goes_back_and_is_exported(signed_in: Desk) -> None:
    page = signed_in.page
    signed_in.go("#/many/subjects?q=person%201")
    expect(page.get_by_role("status").get_by_text("1,111 subjects")).to_be_visible()
    expect(page.locator("thead th")).to_have_text(["Name", "Id", "Type", "External id"])
    first = page.locator("tbody tr").first
    expect(first).to_contain_text("Person 1")
    for id in ("u0189", "u1089"):
        page.get_by_role("link", name="Next page").click()
        expect(first).to_contain_text(id)
    page.get_by_role("link", name="Previous page").click()
    expect(first).to_contain_text("u0189")
    assert signed_in.serious() == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as CSV").click()
    rows = list(csv.reader(io.StringIO(download.value.path().read_bytes().decode())))
    assert rows[0] == ["type", "id", "Name", "External id"]
    assert len(rows) == 1 + 1_111
    assert rows[1] == ["user", "u0001", "Person 1", ""]


def test_a_list_is_sorted_by_its_heads_and_the_address_keeps_it(signed_in: Desk) -> None:
    """By keyboard too. A page, the one before it, a reload and the file have the order of the address."""
    page = signed_in.page
    signed_in.go("#/many/subjects")
    head = page.get_by_role("columnheader", name="Name")
    first = page.locator("tbody tr").first
    expect(page.get_by_role("columnheader", name="Id", exact=True)).to_have_attribute("aria-sort", "ascending")
    head.get_by_role("link").press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(page.get_by_text("Sorted by type, then name.")).to_be_visible()
    expect(first).to_contain_text("Zoë")
    head.get_by_role("link").press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(first).to_contain_text("Person 999")
    page.wait_for_url("**/#/many/subjects?sort=-name")
    page.get_by_role("link", name="Next page").click()
    expect(first).to_contain_text("Person 90")
    expect(head).to_have_attribute("aria-sort", "descending")
    page.get_by_role("link", name="Previous page").click()
    expect(first).to_contain_text("Person 999")
    assert signed_in.serious() == []
    page.get_by_label("Part of an id or a name", exact=True).fill("person 17")
    page.get_by_role("button", name="Filter").click()
    expect(first).to_contain_text("Person 17")
    expect(head.get_by_role("link")).to_have_count(0)
    signed_in.go("#/many/groups?sort=-name")
    expect(page.get_by_label("Order")).to_have_value("-name")


def test_an_assignment_with_a_made_id_reads_as_a_sentence(signed_in: Desk) -> None:
    """The names of its elements stand beside their ids. The page asks for all of them at once."""
    asked: list[str] = []
    signed_in.page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/names") else None)
    signed_in.go("#/many/assignments")
    expect(signed_in.page.locator("tbody")).to_contain_text("Person 7 u0007")
    assert len(asked) == 1
    signed_in.page.get_by_role("link", name="user u0007 holds person-keeper").wait_for()
    signed_in.settle()
    assert "-" * 4 not in signed_in.page.locator("tbody").inner_text()
    signed_in.sees("1 assignment")


def test_every_field_that_names_a_person_suggests_by_a_part_of_the_name(signed_in: Desk) -> None:
    """The service is asked for what is typed, once it rests, so a person beyond the first hundred is found too."""
    page = signed_in.page
    asked: list[str] = []
    page.on("dialog", lambda dialog: dialog.accept())
    page.on("request", lambda request: asked.append(request.url) if "/subjects?" in request.url else None)
    for place, label in (
        ("try", "Subject id"),
        ("what-can", "Subject id"),
        ("assignments?new=yes", "Subject: id"),
        ("grants?new=yes", "Subject: id"),
        ("subjects", "Id"),
        ("assignments", "Subject id"),
        ("review", "Subject: type and id"),
    ):
        signed_in.go(f"#/many/{place}")
        field = page.get_by_role("main").get_by_label(label, exact=True)
        field.press_sequentially("PERSON 1704")
        found = page.locator(f"datalist[id='{field.get_attribute('list')}'] option")
        expect(found).to_have_count(1)
        expect(found).to_have_attribute("value", "u1704")
        expect(found).to_have_attribute("label", "Person 1704")
        assert len([one for one in asked if "q=PERSON+1704" in one]) == 1
        asked.clear()
        field.fill("u1704")  # as the browser does with the chosen one
        signed_in.go("#/many/overview")
        expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_a_suggestion_has_the_typed_text_for_browsers_that_compare_letters(signed_in: Desk) -> None:
    """They would hide `Zoë` from a person who types `zoe`."""
    signed_in.go("#/many/try")
    field = signed_in.page.get_by_label("Subject id", exact=True)
    field.press_sequentially("zoe")
    expect(signed_in.page.locator("#subjectId-list option")).to_have_attribute(
        "label", re.compile(r"^<b>Zoë.*\(zoe\)$")
    )
