"""Access that ends, and what else needs attention, in the console: by the service's clock (issue 34, item 8)."""

import csv
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.console import DESK, HOSTILE_NAMES, PHONE, Desk, desk, expect
from tests.support.server import Server

pytestmark = pytest.mark.browser

READER = {"type": "user", "id": "reader"}


def grant(id: str, days: float, subject: dict[str, str] = READER) -> dict[str, Any]:
    end = (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"id": id, "subject": subject, "resource": {"type": "doc", "id": id}, "actions": ["read"], "expires_at": end}


@pytest.fixture(scope="module")
def ends(browser: Any, server: Server) -> Iterator[Desk]:
    """A window at an environment where something ends tomorrow, in two weeks, and ended yesterday."""
    odd = {"type": "user", "id": HOSTILE_NAMES[5]}
    model = {
        "model": 1,
        "resource_types": [{"id": "doc", "actions": ["read"]}],
        "grants": [grant("tomorrow", 1, odd), grant("later", 14), grant("yesterday", -1), grant("next-year", 365)],
    }
    with desk(browser, server) as found:
        with found.client() as api:
            api.post("/v1/environments", json={"id": "terms", "approvals": 1}).raise_for_status()
            api.put("/v1/environments/terms/model", json=model).raise_for_status()
            api.post("/v1/environments", json={"id": "source"}).raise_for_status()
            policies = {name: model[name] for name in ("model", "resource_types")} | {"roles": [{"id": "reader"}]}
            api.put("/v1/environments/source/model", json=policies).raise_for_status()
            api.post("/v1/environments/terms/promotions", json={"from": "source"}).raise_for_status()
            key = {"name": "soon", "scopes": ["read"], "expires_at": grant("key", 7)["expires_at"]}
            api.post("/v1/api-keys", json=key).raise_for_status()
        found.sign_in(place="#/terms/overview")
        yield found


ATTENTION = (
    ("1 promotion", "1 promotion waits for an approval", "Waiting for an approval"),
    ("1 API key", "1 API key ends within 14 days", "soon"),
    ("1 assignment or grant ends", "1 assignment or grant ends within 7 days", "tomorrow"),
    ("1 assignment or grant ended", "1 assignment or grant ended in the last 30 days", "yesterday"),
)
"""The links by which the overview names something, and what is on the list behind each."""


def test_the_overview_begins_with_what_needs_attention(ends: Desk) -> None:
    ends.go("#/terms/overview")
    section = ends.page.locator("main section").first
    expect(section.get_by_role("heading")).to_have_text("What needs attention")
    expect(section.get_by_role("listitem")).to_have_count(len(ATTENTION))
    for at, (link, words, listed) in enumerate(ATTENTION):
        expect(section.get_by_role("listitem").nth(at)).to_contain_text(words)
        section.get_by_role("link", name=link).click()
        expect(ends.page.locator("main")).to_contain_text(listed)
        expect(ends.page.locator("main tbody tr").first).to_be_visible()
        ends.page.go_back()
    expect(section).to_contain_text("Denials are not counted. The decision log is off")
    ends.go("#/source/overview")
    expect(ends.page.locator("main section").first.get_by_role("listitem")).to_have_count(
        1
    )  # the key is of the service


def test_a_service_that_is_away_is_told_once(ends: Desk) -> None:
    ends.go("#/terms/clients")
    ends.page.route("**/v1/**", lambda route: route.abort())
    ends.go("#/terms/overview")
    alert = ends.page.get_by_role("alert")
    expect(alert).to_have_count(1)
    expect(alert).to_contain_text("The service is away")
    expect(ends.page.locator("main section")).to_have_count(0)
    ends.page.unroute_all()
    alert.get_by_role("button", name="Try again").click()
    expect(ends.page.locator("main section").first.get_by_role("listitem")).to_have_count(len(ATTENTION))
    expect(alert).to_have_count(0)


def test_credentials_are_found_by_their_state(ends: Desk) -> None:
    ends.go("#/terms/clients")
    ends.page.get_by_role("link", name="Ends within 14 days").click()
    expect(ends.page).to_have_url(f"{ends.server.url}/console/#/terms/clients?state=ending")
    keys = ends.page.get_by_role("region", name="API keys")
    expect(keys.locator("tbody tr")).to_have_count(1)
    expect(keys.locator("tbody tr")).to_contain_text("! soon")
    expect(ends.page.get_by_role("region", name="Clients")).to_contain_text("No client is listed here")
    ends.page.get_by_role("link", name="Not used for 30 days").click()
    expect(keys).to_contain_text("No API key is listed here")
    ends.page.get_by_role("link", name="Expired").click()
    expect(ends.page.get_by_role("region", name="Clients")).to_have_count(0)
    expect(keys).to_contain_text("none has expired")
    assert ends.serious() == []


@pytest.mark.parametrize(
    ("link", "show", "names"),
    [("Ends this month", "month", ["tomorrow", "later"]), ("Ended this month", "ended", ["yesterday"])],
)
def test_each_filter_has_an_address(ends: Desk, link: str, show: str, names: list[str]) -> None:
    ends.go("#/terms/ending")
    ends.page.get_by_role("link", name=link).click()
    expect(ends.page.get_by_role("link", name=link)).to_have_attribute("aria-current", "true")
    expect(ends.page).to_have_url(f"{ends.server.url}/console/#/terms/ending?show={show}")
    rows = ends.page.locator("main tbody tr")
    expect(rows).to_have_count(len(names))
    for at, name in enumerate(names):
        expect(rows.nth(at)).to_contain_text(f"on doc {name}")


def test_a_calendar_shows_a_month_and_opens_a_day(ends: Desk) -> None:
    with ends.client() as api:
        items = api.get("/v1/environments/terms/expiring?within=30d").json()["items"]
        end = next(datetime.fromisoformat(one["expires_at"]) for one in items if one["id"] == "later")
    day = end.astimezone().strftime("%Y-%m-%d")  # in the zone of this machine, which is the browser's
    ends.go(f"#/terms/ending?show=calendar&month={day[:7]}")
    expect(ends.page.get_by_role("link", name="Calendar")).to_have_attribute("aria-current", "true")
    expect(ends.page.get_by_role("columnheader")).to_have_count(7)
    cell = (
        ends.page.get_by_role("cell").filter(has_text="reader").filter(has=ends.page.locator(f'a[href*="day={day}"]'))
    )
    assert ends.serious() == []
    ends.page.set_viewport_size(PHONE)
    expect(ends.page.locator("td.has-end").first).to_be_visible()
    expect(ends.page.locator("td.no-end, td.no-day").first).to_be_hidden()
    assert ends.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert ends.serious() == []
    ends.page.set_viewport_size(DESK)
    link = cell.get_by_role("link", name="1 end")
    link.focus()
    link.press("Enter")
    rows = ends.page.locator("main tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("read on doc later")
    ends.page.get_by_role("link", name="Calendar of").click()
    expect(ends.page).to_have_url(f"{ends.server.url}/console/#/terms/ending?show=calendar&month={day[:7]}")
    ends.go("#/terms/ending?show=calendar&month=2001-02")
    expect(ends.page.locator("main")).to_contain_text("Nothing ends in February 2001")
    ends.page.get_by_role("link", name="March 2001").click()
    expect(ends.page.locator("caption")).to_have_text("March 2001")


def test_the_file_has_what_is_listed_and_no_formula(ends: Desk, tmp_path: Path) -> None:
    ends.go("#/terms/ending?show=month")
    expect(ends.page.locator("main tbody tr")).to_have_count(2)
    with ends.page.expect_download() as download:
        ends.page.get_by_role("button", name="Export as CSV").click()
    download.value.save_as(tmp_path / "ending.csv")
    with open(tmp_path / "ending.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [one["id"] for one in rows] == ["tomorrow", "later"]
    assert [one["subject_id"] for one in rows] == [f"'{HOSTILE_NAMES[5]}", "reader"]
