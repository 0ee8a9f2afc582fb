"""Access that ends, in the console: by time, with the clock of the service, and as a file (issue 34, item 8)."""

import csv
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.console import HOSTILE_NAMES, Desk, desk, expect
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
            api.post("/v1/environments", json={"id": "terms"}).raise_for_status()
            api.put("/v1/environments/terms/model", json=model).raise_for_status()
        found.sign_in(place="#/terms/overview")
        yield found


def test_what_ends_this_week_takes_one_click(ends: Desk) -> None:
    ends.page.get_by_role("navigation", name="Console").get_by_role("link", name="Ending access").click()
    rows = ends.page.locator("main tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("read on doc tomorrow")
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
