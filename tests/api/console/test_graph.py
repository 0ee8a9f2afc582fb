"""The picture of the groups and roles around an element, in the console (issue 34, item 7)."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.console import Desk, desk, expect
from tests.support.server import Server

pytestmark = pytest.mark.browser

MIA = {"type": "user", "id": "mia"}
MODEL = {
    "model": 1,
    "roles": [{"id": "editor", "name": "Editor"}, {"id": "auditor"}, {"id": "idle"}],
    "groups": [
        {"id": "all", "name": "Everyone", "members": [{"group": "staff"}]},
        {"id": "staff", "members": [MIA, {"group": "interns"}]},
        {"id": "interns", "members": [{"type": "user", "id": "<b>x</b>\u202e"}, {"group": "all"}]},
    ],
    "subjects": [{**MIA, "attributes": {"name": "Mia"}}],
    "assignments": [
        {"id": "a1", "role": "editor", "group": "all"},
        {"id": "a2", "role": "auditor", "subject": MIA, "expires_at": "2020-01-01T00:00:00Z"},
    ],
}


@pytest.fixture(scope="module")
def window(browser: Any, server: Server) -> Iterator[Desk]:
    with server.client() as api:
        api.post("/v1/environments", json={"id": "drawn"}).raise_for_status()
        assert api.put("/v1/environments/drawn/model", json=MODEL).status_code in (200, 201)
    with desk(browser, server) as found:
        found.sign_in()
        yield found


def test_a_subject_stands_before_its_groups_and_its_roles(window: Desk) -> None:
    window.go("#/drawn/subjects/user/mia")
    picture = window.page.get_by_role("group", name="Groups and roles")
    expect(picture.locator(".stop")).to_have_count(6)
    expect(picture.locator(".here")).to_contain_text("Mia")
    expect(picture.locator(".here")).to_contain_text("is a member of staff, holds auditor, but not now")
    expect(picture.locator("path.later")).to_have_count(1)
    places = {one.inner_text(): one.bounding_box()["x"] for one in picture.get_by_role("link").all()}
    assert places["staff"] < places["Everyone"] < places["Editor"] == places["auditor"]


def test_each_box_leads_to_its_element_by_keyboard(window: Desk) -> None:
    window.go("#/drawn/roles/editor")
    picture = window.page.get_by_role("group", name="Groups and roles")
    expect(picture.locator(".stop")).to_have_count(4)
    picture.get_by_role("link", name="Everyone").focus()
    window.page.keyboard.press("Enter")
    window.page.wait_for_url("**/#/drawn/groups/all")
    expect(window.page.get_by_role("group", name="Groups and roles").locator(".here")).to_contain_text("Everyone")


def test_of_many_elements_the_nearest_are_drawn(window: Desk) -> None:
    people = [{"type": "user", "id": f"u{number:02}"} for number in range(80)]
    with window.client() as api:
        assert api.post("/v1/environments/drawn/groups", json={"id": "crowd", "members": people}).status_code == 201
    window.go("#/drawn/groups/crowd")
    expect(window.page.get_by_role("group", name="Groups and roles").locator(".stop")).to_have_count(60)
    expect(window.page.get_by_text("There are more elements than are drawn.")).to_be_visible()


def test_a_role_without_holders_says_so(window: Desk) -> None:
    window.go("#/drawn/roles/idle")
    expect(window.page.get_by_text("It is in no group, and no assignment names it.")).to_be_visible()
