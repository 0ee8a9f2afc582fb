"""Repairs in place: what would allow a denial is offered, tried and previewed, and the question is asked again."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.console.reports import (
    ANN,
    BOB,
    CARA,
    ENV,
    READ,
    ROOT,
    WAYS,
    allows,
    begin,
    is_friday,
    offers,
    place,
    question,
    verdict,
)
from tests.support.console import Desk, desk, expect
from tests.support.server import Server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def window(browser: Any, server: Server) -> Iterator[Desk]:
    with desk(browser, server) as found:
        begin(found)
        found.sign_in(place=f"#/{ENV}/overview")
        yield found


@pytest.fixture
def at(window: Desk) -> Desk:
    """The window with the model as it began."""
    begin(window)
    window.go(f"#/{ENV}/overview")
    return window


def is_allowed(at: Desk, asked: dict[str, Any]) -> bool:
    with at.client() as api:
        return allows(api, asked)


def press(at: Desk, name: str) -> None:
    at.page.get_by_role("button", name=name, exact=True).click()


def test_a_role_is_given_until_friday_and_the_question_asked_again(at: Desk) -> None:
    """D11: a group whose assignment has ended is tried, and not offered."""
    at.go(place(READ))
    expect(offers(at.page)).to_have_text(WAYS)
    press(at, "Give the role until…")
    dialog = at.page.get_by_role("dialog")
    expect(dialog.get_by_label("Ends", exact=True)).to_have_value("Friday 18:00")
    expect(verdict(at.page)).to_have_text("Allowed")
    expect(dialog.locator(".people .region .name").first).to_have_text("user bob")
    assert at.serious() == []
    dialog.get_by_label("Ends", exact=True).fill("2020-01-01")
    expect(verdict(at.page)).to_have_text("Denied")
    press(at, "Ends: Friday 18:00")
    expect(verdict(at.page)).to_have_text("Allowed")
    dialog.get_by_role("button", name="Give the role", exact=True).click()
    at.sees("The assignment is created.")
    expect(verdict(at.page)).to_have_text("Allowed")
    with at.client() as api:
        made = api.get(f"{ROOT}/assignments", params={"subject.id": "bob"}).json()["items"][0]
    assert is_friday(made["expires_at"])
    assert is_allowed(at, READ)
    press(at, "Undo")
    expect(verdict(at.page)).to_have_text("Denied")
    assert not is_allowed(at, READ)


def test_a_member_is_added_beside_the_changes_of_others(at: Desk) -> None:
    at.go(place(READ))
    press(at, "Add to the group team…")
    expect(verdict(at.page)).to_have_text("Allowed")
    with at.client() as api:
        api.put(f"{ROOT}/groups/team/members/user/cara").raise_for_status()
        at.page.get_by_role("dialog").get_by_role("button", name="Add to the group", exact=True).click()
        at.sees("bob is now a member of team.")
        expect(verdict(at.page)).to_have_text("Allowed")
        assert api.get(f"{ROOT}/groups/team").json()["members"] == [ANN, CARA, BOB]
    assert is_allowed(at, READ)
    press(at, "Undo")
    expect(verdict(at.page)).to_have_text("Denied")
    with at.client() as api:
        assert api.get(f"{ROOT}/groups/team").json()["members"] == [ANN, CARA]


def test_a_stored_attribute_is_changed_if_the_question_counts_it(at: Desk) -> None:
    asked = question(CARA, "publish", "draft")
    at.go(place(asked) + "&only=sent")
    expect(offers(at.page)).to_have_text(["Grant it until…"])
    at.go(place(asked))
    press(at, "Change the stored attribute…")
    at.page.get_by_role("heading", name='Set status of draft to "final"?').wait_for()
    expect(verdict(at.page)).to_have_text("Allowed")
    press(at, "Change the attribute")
    at.sees("The resource is saved.")
    expect(verdict(at.page)).to_have_text("Allowed")
    assert is_allowed(at, asked)


def test_what_no_single_change_allows_is_said(at: Desk) -> None:
    at.go(place(question(BOB, "read", "frozen")))
    at.sees("No role, no group, no grant and no stored attribute alone would allow it.")
    expect(offers(at.page)).to_have_count(0)


def test_the_access_of_one_is_given_to_another(at: Desk) -> None:
    """From the proof, and from the list of those who can: the same ways, tried for the other subject."""
    at.go(place(READ | {"subject": ANN}))
    press(at, "Give it to someone else")
    at.page.get_by_label("Subject: id").fill("bob")
    press(at, "Look for a way")
    press(at, "Add to the group team…")
    at.page.get_by_role("dialog").get_by_role("button", name="Add to the group", exact=True).click()
    at.page.get_by_role("dialog").get_by_text("bob is now a member of team.").wait_for()
    expect(verdict(at.page)).to_have_text("Allowed")
    assert is_allowed(at, READ)
    press(at, "Close")
    at.go(place(READ, "who-can"))
    expect(at.page.locator("main tbody tr")).to_have_count(2)
    press(at, "Give it to someone else")
    at.page.get_by_label("Subject: id").fill("cara")
    at.page.keyboard.press("Enter")
    press(at, "Grant it until…")
    expect(verdict(at.page)).to_have_text("Allowed")
    assert at.serious() == []
    press(at, "Grant it")
    at.page.get_by_role("dialog").get_by_text("The grant is created.").wait_for()
    assert is_allowed(at, READ | {"subject": CARA})
    press(at, "Close")


def test_a_subject_joins_a_group_on_its_page(at: Desk) -> None:
    at.go("#/tasks/subjects/user/bob")
    field = at.page.get_by_label("Group to join")
    field.fill("teem")
    press(at, "Add to the group…")
    at.sees("There is no group")
    field.fill("team")
    press(at, "Add to the group…")
    expect(at.page.get_by_role("dialog").locator(".people .region .name").first).to_have_text("user bob")
    at.page.get_by_role("dialog").get_by_role("button", name="Add to the group", exact=True).click()
    at.sees("bob is now a member of team.")
    groups = at.page.locator("section", has=at.page.get_by_role("heading", name="Groups", exact=True))
    expect(groups.get_by_role("link", name="team")).to_have_count(1)
    assert at.serious() == []
    assert is_allowed(at, READ)
