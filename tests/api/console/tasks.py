"""The tasks for which people come to the console, each done by clicks and keys, and checked by the API."""

from datetime import UTC, datetime, timedelta
from typing import Final

from tests.api.console.reports import (
    ANN,
    BOB,
    CARA,
    READ,
    ROOT,
    WAYS,
    allows,
    is_friday,
    offers,
    place,
    question,
    verdict,
)
from tests.support.console import DESK, PHONE, expect
from tests.support.hand import Hand
from tests.support.waiting import wait_until


def _fill_in(hand: Hand) -> None:
    for label, text in (
        ("Subject id", "bob"),
        ("Action", "read"),
        ("Resource type", "report"),
        ("Resource id", "draft"),
    ):
        hand.write(label, text)


def _is_denied(hand: Hand) -> None:
    expect(verdict(hand.page)).to_have_text("Denied")
    expect(offers(hand.page)).to_have_text(WAYS)
    with hand.desk.client() as api:
        assert not allows(api, READ)
        holder = {"kind": "assignments", "element": {"role": "reader", "subject": BOB}}
        answer = api.post(f"{ROOT}/changes:try", json={"changes": [holder], "request": READ}).json()["answer"]
        assert answer["decision"], "what is offered would allow it"


def _is_given(hand: Hand) -> None:
    expect(hand.page.get_by_role("dialog")).to_have_count(0)
    expect(hand.page.get_by_text("The assignment is created.")).to_be_visible()
    expect(verdict(hand.page)).to_have_text("Allowed")
    with hand.desk.client() as api:
        assert allows(api, READ)
        (made,) = api.get(f"{ROOT}/assignments", params={"subject.id": "bob"}).json()["items"]
    assert is_friday(made["expires_at"])


def why(hand: Hand) -> None:
    """Why may Bob not read this, and what would allow it?"""
    hand.open("Try a decision")
    _fill_in(hand)
    hand.press("Enter")
    _is_denied(hand)


def give(hand: Hand) -> None:
    """Give it to him, until Friday."""
    hand.begin(place(READ))
    hand.click("Give the role until…")
    expect(verdict(hand.page)).to_have_text("Allowed")
    hand.click("Give the role")
    _is_given(hand)


def by_keyboard(hand: Hand) -> None:
    """Both of these, without a mouse."""
    hand.press("g", "t")
    hand.tab_to(hand.page.get_by_label("Subject id", exact=True))
    for label, text in (
        ("Subject id", "bob"),
        ("Action", "read"),
        ("Resource type", "report"),
        ("Resource id", "draft"),
    ):
        hand.tab_to(hand.page.get_by_label(label, exact=True)) if label != "Subject id" else None
        hand.page.keyboard.type(text)
    hand.press("Enter")
    _is_denied(hand)
    hand.tab_to(hand.page.get_by_role("button", name=WAYS[1], exact=True))
    hand.press("Enter")
    expect(verdict(hand.page)).to_have_text("Allowed")
    hand.tab_to(hand.page.get_by_role("button", name="Give the role", exact=True))
    hand.press("Enter")
    _is_given(hand)


def on_a_phone(hand: Hand) -> None:
    """Try a decision on a phone: the menu, the question, and the answer in view."""
    hand.page.set_viewport_size(PHONE)
    try:
        hand.click("Menu")
        hand.open("Try a decision")
        _fill_in(hand)
        hand.press("Enter")
        _is_denied(hand)
        expect(verdict(hand.page)).to_be_in_viewport()
    finally:
        hand.page.set_viewport_size(DESK)


def who_can(hand: Hand) -> None:
    """Who can read this document?"""
    hand.open("Who can…")
    for label, text in (("Action", "read"), ("Resource type", "report"), ("Resource id", "draft")):
        hand.write(label, text)
    hand.press("Enter")
    with hand.desk.client() as api:
        true = [one["id"] for one in (ANN, BOB, CARA) if allows(api, READ | {"subject": one})]
    expect(hand.page.locator("main tbody tr td:first-child, main tbody tr th")).to_have_text(true)


def _choose_ann(hand: Hand, part: str) -> None:
    hand.press("/")
    expect(hand.page.get_by_role("combobox", name="A part of an id or a name")).to_be_focused()
    hand.page.keyboard.type(part)
    option = hand.page.get_by_role("dialog").get_by_role("option").first
    expect(option).to_contain_text("Ann Arbour")
    expect(option).to_have_attribute("aria-selected", "true")
    hand.press("Enter")


def review(hand: Hand) -> None:
    """Review one person: what she holds, and what it comes from."""
    _choose_ann(hand, "arb")
    hand.click("Open its access review", "link")
    rows = hand.page.locator("section", has=hand.page.get_by_role("heading", name="Rights")).locator("tbody tr")
    with hand.desk.client() as api:
        asked = {"subjects": [ANN], "resources": [{"type": "report", "actions": ["read", "publish"]}]}
        found = api.post(f"{ROOT}/rights", json=asked).json()["rights"]
    held = [one for one in found if one["on"] != "none"]
    assert [one["action"] for one in held] == ["read"]
    expect(rows).to_have_count(len(held))
    expect(rows).to_contain_text(held[0]["on"])
    expect(rows).to_contain_text("readers")


def find(hand: Hand) -> None:
    """Find a person by a part of the name."""
    _choose_ann(hand, "arbo")
    expect(hand.page.get_by_role("heading", name="Ann Arbour", level=1)).to_be_visible()


def person(hand: Hand) -> None:
    """Make a person, add her to a group, and give her a role until Friday."""
    page = hand.page
    hand.open("Subjects")
    hand.click("Create a subject", "link")
    hand.write("Id", "dora")
    hand.press("Enter")
    hand.click("Create the subject")
    hand.write("Group to join", "team")
    hand.press("Enter")
    hand.click("Add to the group")
    expect(page.get_by_text("dora is now a member of team.")).to_be_visible()
    hand.click("Assign a role", "link")
    hand.write("Role", "chief")
    hand.click("Ends: Friday 18:00")
    hand.click("Review and save")
    hand.click("Create the assignment")
    expect(page.get_by_text("The assignment is created.")).to_be_visible()
    dora = {"type": "user", "id": "dora"}
    with hand.desk.client() as api:
        assert dora in api.get(f"{ROOT}/groups/team").json()["members"]
        (made,) = api.get(f"{ROOT}/assignments", params={"subject.id": "dora"}).json()["items"]
        assert allows(api, READ | {"subject": dora})
    assert made["role"] == "chief"
    assert is_friday(made["expires_at"])


_NIGHT: Final = (
    'policy night allow everyone to publish report when resource.status is "draft" and context.mfa is true'
    " on mon from 09:00 until 17:00"
)


def policy(hand: Hand) -> None:
    """Write a policy with two conditions and a window, see who gains, and save it."""
    hand.open("Policies")
    hand.click("Create a policy", "link")
    hand.write("The policy as text", _NIGHT)
    expect(hand.page.locator(".sentence")).to_contain_text("17:00")
    expect(hand.page.get_by_role("button", name="Review and save")).to_be_enabled()
    hand.click("Review and save")
    expect(hand.page.get_by_role("dialog").locator(".people")).to_contain_text("gains")
    hand.click("Create the policy")
    expect(hand.page.get_by_text("The policy is created.")).to_be_visible()
    monday, sunday = "2026-11-30T10:00:00Z", "2026-11-29T10:00:00Z"
    asked = question(BOB, "publish", "draft")
    with hand.desk.client() as api:
        found = [
            allows(api, asked | {"context": {"mfa": mfa, "time": at}})
            for mfa, at in ((True, monday), (False, monday), (True, sunday))
        ]
    assert found == [True, False, False]


def undo(hand: Hand) -> None:
    """Undo yesterday's change of a grant."""
    grant = {"id": "g1", "subject": BOB, "resource": {"type": "report", "id": "draft"}, "actions": ["read"]}
    with hand.desk.client() as api:
        api.post(f"{ROOT}/grants", json=grant).raise_for_status()
        api.put(f"{ROOT}/grants/g1", json=grant | {"actions": ["publish"]}).raise_for_status()
        assert not allows(api, READ)
    hand.open("Grants")
    hand.page.locator("main tbody tr").get_by_role("link").first.click()
    hand.click("History of this grant", "link")
    hand.page.get_by_role("button", name="Undo the change of revision").first.click()
    expect(hand.page.get_by_role("dialog").locator(".people")).to_contain_text("bob")
    hand.click("Undo the change")
    expect(hand.page.get_by_text("is undone, by revision").first).to_be_visible()
    with hand.desk.client() as api:
        assert api.get(f"{ROOT}/grants/g1").json()["actions"] == ["read"]
        assert allows(api, READ)


def denials(hand: Hand) -> None:
    """Show the last hour's denials."""
    with hand.desk.client() as api:
        assert not allows(api, READ | {"subject": {"type": "user", "id": "eve"}})

        def listed() -> list[str]:
            found = api.get(f"{ROOT}/denials", params={"within": "1h", "limit": 50}).json()["items"]
            return [one["request"]["subject"]["id"] for one in found]

        assert wait_until(lambda: listed()[:1] == ["eve"])
    hand.open("Recent denials")
    hand.click("Last hour", "link")
    expect(hand.page.get_by_role("link", name="Last hour")).to_have_attribute("aria-current", "true")
    with hand.desk.client() as api:
        expect(hand.page.locator("main tbody tr")).to_have_count(len(listed()))
    expect(hand.page.locator("main tbody tr").first).to_contain_text("eve")


def ends(hand: Hand) -> None:
    """What expires this week?"""
    for days, id in ((1, "soon"), (14, "later")):
        end = (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
        with hand.desk.client() as api:
            held = {"id": id, "role": "chief", "subject": BOB, "expires_at": end}
            api.post(f"{ROOT}/assignments", json=held).raise_for_status()
    hand.open("Ending access")
    rows = hand.page.locator("main tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("chief")
    with hand.desk.client() as api:
        (found,) = api.get(f"{ROOT}/expiring", params={"within": "7d"}).json()["items"]
    assert found["id"] == "soon"
