"""The frame of every page: its head stays, a phone has a menu and cards, a service that is away is told plainly."""

from collections.abc import Iterator

import pytest

from tests.support.console import DESK, PHONE, Desk, expect

pytestmark = pytest.mark.browser

EVERY_CALL = "**/v1/**"
CODES = ("NO_POLICY_MATCH", "DENY_OVERRIDE", "EXPLICIT_DENY", "CONDITION_FAILED", "ACTION_NOT_PERMITTED")
QUESTION = (
    '?q={"subject":{"type":"user","id":"hana.abdi"},"action":{"name":"read"},"resource":{"type":"document","id":"d1"}}'
)


@pytest.fixture
def wide(window: Desk) -> Iterator[Desk]:
    """The window at the width of a desk."""
    window.page.set_viewport_size(DESK)
    yield window
    window.page.unroute_all()


@pytest.fixture
def phone(window: Desk) -> Iterator[Desk]:
    """The window at the width of a phone."""
    window.page.set_viewport_size(PHONE)
    yield window
    window.page.unroute_all()


def open_list(desk: Desk, place: str, name: str) -> None:
    desk.go(place)
    expect(desk.page.get_by_role("heading", name=name, level=1)).to_be_visible()


def top(desk: Desk, selector: str) -> float:
    box = desk.page.locator(selector).first.bounding_box()
    return float(box["y"])


def test_the_head_of_the_page_and_of_a_table_stay(wide: Desk) -> None:
    open_list(wide, "#/default/subjects", "Subjects")
    rows = wide.page.locator("tbody tr")
    expect(rows).to_have_count(100)
    rows.last.get_by_role("link").first.focus()
    assert top(wide, "header") == 0
    assert top(wide, "thead th") >= wide.page.locator("header").bounding_box()["height"]
    expect(wide.page.locator("thead th").first).to_be_in_viewport()
    expect(wide.page.get_by_label("Environment")).to_be_in_viewport()
    rows.first.get_by_role("link").first.focus()
    hidden = top(wide, "thead th") + wide.page.locator("thead th").first.bounding_box()["height"]
    assert top(wide, "tbody tr a") >= hidden  # what is reached is below both heads


def test_the_head_is_low_again_after_a_narrow_window(wide: Desk) -> None:
    wide.page.evaluate("document.documentElement.style.setProperty('--head', '300px')")
    wide.page.set_viewport_size({"width": 320, "height": 800})
    wide.page.set_viewport_size(DESK)
    expect(wide.page.locator("header")).to_have_css("height", "53px")


def test_a_new_page_begins_at_its_top(wide: Desk) -> None:
    open_list(wide, "#/default/history", "History")
    wide.page.set_viewport_size({"width": 1280, "height": 300})
    wide.page.evaluate("scrollTo(0, 400)")
    wide.page.get_by_role("navigation").get_by_role("link", name="Policies").click()
    expect(wide.page.get_by_role("heading", name="Policies", level=1)).to_be_in_viewport()
    assert wide.page.evaluate("scrollY") == 0
    assert top(wide, "header") == 0


def test_rows_are_cards_on_a_phone_and_stay_rows_for_readers(phone: Desk) -> None:
    open_list(phone, "#/default/subjects?q=hana.abdi", "Subjects")
    row = phone.page.get_by_role("row").filter(has_text="hana.abdi")
    expect(row).to_have_count(1)
    expect(phone.page.get_by_role("columnheader")).to_have_text(["Name", "Id", "Type", "External id"])
    expect(row.get_by_role("cell")).to_have_count(4)
    shown = row.get_by_role("cell").nth(1).evaluate("cell => getComputedStyle(cell, '::before').content")
    assert shown.startswith('"Id"')
    assert phone.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_menu_of_a_phone_opens_and_closes_by_keyboard(phone: Desk) -> None:
    page = phone.page
    open_list(phone, "#/default/roles", "Roles")
    menu, navigation = page.get_by_role("button", name="Menu"), page.get_by_role("navigation", name="Console")
    expect(navigation).to_be_hidden()
    menu.press("Enter")
    expect(menu).to_have_attribute("aria-expanded", "true")
    expect(navigation.get_by_role("link", name="Overview")).to_be_focused()
    assert phone.serious() == []
    page.keyboard.press("Tab")
    expect(navigation.get_by_role("link", name="Try a decision")).to_be_focused()
    page.keyboard.press("Escape")
    expect(navigation).to_be_hidden()
    expect(menu).to_be_focused()
    menu.press("Enter")
    navigation.get_by_role("link", name="Groups").press("Enter")
    expect(page.get_by_role("heading", name="Groups", level=1)).to_be_visible()
    expect(navigation).to_be_hidden()
    expect(menu).to_have_attribute("aria-expanded", "false")


def test_an_answer_comes_into_view_and_is_said(phone: Desk) -> None:
    open_list(phone, "#/default/try" + QUESTION, "Try a decision")
    expect(phone.page.locator(".verdict")).to_be_in_viewport()
    expect(phone.page.locator("body > [role=status]")).to_contain_text("Denied: ")
    assert top(phone, ".verdict") >= phone.page.locator("header").bounding_box()["height"]
    words = phone.page.locator(".meta span").first
    expect(words).to_contain_text("A condition does not hold")
    assert words.inner_text() not in CODES


def test_a_service_that_is_away_is_told_and_asked_again(wide: Desk) -> None:
    open_list(wide, "#/default/overview", "Overview")
    for answer in (lambda route: route.abort(), lambda route: route.fulfill(status=502, body="<h1>Bad Gateway</h1>")):
        wide.page.route(EVERY_CALL, answer)
        open_list(wide, "#/default/roles?q=e", "Roles")
        alert = wide.page.get_by_role("alert")
        expect(alert).to_contain_text("The service is away")
        wide.page.unroute(EVERY_CALL)
        alert.get_by_role("button", name="Try again").click()
        expect(wide.page.locator("tbody tr").first).to_be_visible()
        expect(alert).to_have_count(0)
        open_list(wide, "#/default/groups", "Groups")


def test_what_is_not_saved_outlives_a_service_that_is_away(wide: Desk) -> None:
    open_list(wide, "#/default/roles?new=yes", "New role")
    wide.page.get_by_label("Id", exact=True).fill("night-watch")
    wide.page.get_by_role("button", name="Review and save").click()
    wide.page.route(EVERY_CALL, lambda route: route.abort())
    wide.page.get_by_role("dialog").get_by_role("button", name="Create the role").click()
    expect(wide.page.get_by_role("dialog").get_by_role("alert").last).to_contain_text("look before you send it again")
    wide.page.unroute(EVERY_CALL)
    wide.page.keyboard.press("Escape")
    expect(wide.page.get_by_label("Id", exact=True)).to_have_value("night-watch")
    wide.page.once("dialog", lambda dialog: dialog.accept())
    open_list(wide, "#/default/groups", "Groups")


def test_a_page_whose_file_did_not_come_is_told(at_desk: Desk) -> None:
    at_desk.sign_in()
    at_desk.page.route("**/pages/audit.js", lambda route: route.abort())
    at_desk.go("#/default/audit")
    expect(at_desk.page.get_by_role("alert")).to_contain_text("The service is away")
    at_desk.page.unroute_all()
    at_desk.page.get_by_role("button", name="Try again").click()
    expect(at_desk.page.get_by_role("heading", name="Audit", level=1)).to_be_visible()
