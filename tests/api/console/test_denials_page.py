"""Recent denials in the console: read from the decision log, and tried again (issue 19, item 8)."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.console import HOSTILE_NAMES, Desk, as_seen, desk, expect
from tests.support.server import Server, running
from tests.support.waiting import wait_until

pytestmark = pytest.mark.browser

DENIALS = "#/default/denials"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with a decision log in a file."""
    folder = tmp_path_factory.mktemp("denials")
    old = {"time": "2026-01-01T00:00:00Z", "decision_id": "old", "environment": "default", "kind": "evaluation"}
    (folder / "decisions.jsonl").write_text(json.dumps(old, separators=(",", ":")) + "\n")
    with running(folder / "data", "--demo", "--decision-log", str(folder / "decisions.jsonl")) as found:
        yield found


def ask(desk: Desk, subject: str, **more: Any) -> dict[str, Any]:
    """Ask for something that is denied, and wait until it is in the log."""
    request = {
        "subject": {"type": "user", "id": subject},
        "action": {"name": "delete"},
        "resource": {"type": "document", "id": "d1", "properties": {"status": "draft"}},
    } | more
    with desk.client() as api:
        answer = api.post("/access/v1/evaluation", json=request).json()
        assert answer["decision"] is False

        def is_there() -> bool:
            items = api.get("/v1/environments/default/denials", params={"limit": 1}).json()["items"]
            return bool(items) and items[0]["request"]["subject"]["id"] == subject

        assert wait_until(is_there)
    return dict(answer)


def test_a_denial_is_told_with_its_reason_and_tried_again(signed_in: Desk) -> None:
    answer = ask(signed_in, "nobody-at-all", context={"ip": "10.1.2.3"})
    signed_in.go(DENIALS)
    row = signed_in.page.locator("main tbody tr", has_text="nobody-at-all").first
    assert answer["context"]["reason_code"] == "ACTION_NOT_PERMITTED"
    expect(row).to_contain_text("Only other actions are allowed")
    row.get_by_role("link", name="Try it").click()
    signed_in.page.get_by_role("heading", name="Try a decision").wait_for()
    signed_in.page.get_by_text("Denied", exact=True).wait_for()
    signed_in.settle()
    assert signed_in.page.locator("input").evaluate_all(
        "found => found.some((one) => one.value === 'nobody-at-all')"
    ), "the request is in the fields"


def test_a_denial_is_repaired_where_it_is_listed(signed_in: Desk) -> None:
    """The question is asked again as it was sent, and then with the repair."""
    ask(signed_in, "denied-today")
    signed_in.go(DENIALS)
    signed_in.page.get_by_role("button", name="Repair the denial of denied-today").click()
    dialog = signed_in.page.get_by_role("dialog")
    dialog.get_by_role("button", name="Grant it until…").click()
    expect(dialog.locator(".verdict strong").last).to_have_text("Allowed")
    assert signed_in.serious() == []
    dialog.get_by_role("button", name="Grant it", exact=True).click()
    dialog.get_by_text("The grant is created.").wait_for()
    expect(dialog.locator(".verdict strong")).to_have_text("Allowed")
    with signed_in.client() as api:
        asked = {"subject": {"type": "user", "id": "denied-today"}, "action": {"name": "delete"}}
        answer = api.post("/access/v1/evaluation", json=asked | {"resource": {"type": "document", "id": "d1"}})
    assert answer.json()["decision"] is True


def test_a_filter_of_time_subject_and_reason_has_an_address(signed_in: Desk) -> None:
    """The last hour's denials take two clicks: the page, and its hour."""
    ask(signed_in, "first-of-two")
    ask(signed_in, "second-of-two")
    page = signed_in.page
    page.get_by_role("link", name="Recent denials").click()
    page.get_by_role("link", name="Last hour").click()
    expect(page.get_by_role("link", name="Last hour")).to_have_attribute("aria-current", "true")
    rows = page.locator("main tbody tr")
    expect(rows.filter(has_text="first-of-two")).to_have_count(1)
    page.get_by_label("Subject", exact=True).fill("second-of-two")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("subject=second-of-two.*within=1h"))
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("second-of-two")
    page.get_by_label("Why", exact=True).select_option("EXPLICIT_DENY")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("No denial in the decision log fits the filter.")).to_be_visible()
    page.go_back()
    expect(rows).to_have_count(1)
    assert signed_in.serious() == []


def test_a_hostile_subject_is_text(signed_in: Desk) -> None:
    for name in HOSTILE_NAMES:
        ask(signed_in, name[:256])
    signed_in.page.set_viewport_size({"width": 390, "height": 844})
    signed_in.go(DENIALS)
    signed_in.page.locator("main tbody tr").nth(len(HOSTILE_NAMES) - 1).wait_for()
    signed_in.settle()
    shown = signed_in.page.locator("td:nth-child(2) code").evaluate_all("found => found.map((one) => one.textContent)")
    assert shown[: len(HOSTILE_NAMES)] == [as_seen(name[:256]) for name in reversed(HOSTILE_NAMES)]
    expect(signed_in.page.locator("main script, main img")).to_have_count(0)
    assert signed_in.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_overview_says_that_denials_rose(signed_in: Desk) -> None:
    for number in range(10):
        ask(signed_in, f"risen-{number}")
    with signed_in.client() as api:
        found = api.get("/v1/environments/default/attention").json()["administration"]["denials"]
    signed_in.go("#/default/audit")
    signed_in.go("#/default/overview")
    line = signed_in.page.get_by_role("listitem").filter(has_text="in the last hour, after 0 in the hour before")
    line.get_by_role("link", name=f"{found['last_hour']} denials").click()
    expect(signed_in.page.get_by_role("link", name="Last hour")).to_have_attribute("aria-current", "true")
    expect(signed_in.page.locator("main tbody tr")).to_have_count(found["last_hour"])


def test_without_a_log_the_page_says_how_to_switch_it_on(
    browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with running(tmp_path_factory.mktemp("off") / "data", "--demo") as off, desk(browser, off) as found:
        found.sign_in(place=DENIALS)
        found.sees("--decision-log")
        assert found.serious() == []
        expect(found.page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_can_be_used_by_everybody(browser: Any, server: Server, dark: bool) -> None:
    with desk(browser, server, dark=dark) as found:
        ask(found, f"seen {dark}")
        found.sign_in(place=DENIALS)
        found.page.locator("main tbody tr").first.wait_for()
        assert found.serious() == []
