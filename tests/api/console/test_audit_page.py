"""The audit log in the console: filtered in the address, read, and exported (contract 6, issue 19, item 8)."""

import csv
import io
import json
import re
from typing import Any

import pytest
from writ.api.console.page_files import PAGE
from writ.api.store.audit.events import Event

from tests.support.console import HOSTILE_NAMES, Desk, desk, expect
from tests.support.server import Server

AUDIT = "#/default/audit"

browser_test = pytest.mark.browser


def test_the_page_knows_every_event_of_the_log() -> None:
    text = (PAGE / "pages/audit_rows.js").read_text()
    assert re.findall(r'^  \["([a-z_.]+)", "', text, re.MULTILINE) == [str(event) for event in Event]


def made(desk: Desk, name: str) -> dict[str, Any]:
    with desk.client() as api:
        return dict(api.post("/v1/clients", json={"name": name, "scopes": ["read"]}).json())


def rows(desk: Desk) -> list[str]:
    desk.settle()
    return [str(row) for row in desk.page.locator("main tbody tr").all_inner_texts()]


def sees_row(desk: Desk, text: str) -> None:
    desk.page.locator("main td", has_text=text).first.wait_for()


def exported(desk: Desk, button: str) -> str:
    with desk.page.expect_download() as waiting:
        desk.page.get_by_role("button", name=button).click()
    return str(waiting.value.path().read_bytes().decode())


@browser_test
def test_filters_stand_in_the_address(signed_in: Desk) -> None:
    client = made(signed_in, "audited")
    signed_in.go(AUDIT)
    signed_in.page.get_by_label("Event").select_option("Client created")
    signed_in.page.get_by_label("Client id").fill(client["client_id"])
    signed_in.page.get_by_role("button", name="Show").click()
    signed_in.page.get_by_role("link", name="All entries").wait_for()
    signed_in.page.wait_for_url(f"**/*?event=client.created&client_id={client['client_id']}")
    expect(signed_in.page.locator("main tbody tr")).to_have_count(1)
    signed_in.page.go_back()
    sees_row(signed_in, "Service started")
    expect(signed_in.page.get_by_label("Client id")).to_have_value("")
    signed_in.go(f"{AUDIT}?actor=service")
    shown = rows(signed_in)
    assert shown
    assert all("service" in row for row in shown)


@browser_test
def test_a_time_is_chosen_and_an_empty_answer_says_so(signed_in: Desk) -> None:
    signed_in.go(AUDIT)
    signed_in.page.get_by_label("Before").fill("2020-01-01T00:00")
    signed_in.page.get_by_role("button", name="Show").click()
    signed_in.sees("No entry fits the filter.")
    signed_in.page.get_by_role("link", name="Show all entries").click()
    sees_row(signed_in, "Service started")
    signed_in.page.get_by_role("link", name="Last hour").click()
    signed_in.page.wait_for_url("**/*since=*")
    sees_row(signed_in, "Service started")


@browser_test
def test_details_open(signed_in: Desk) -> None:
    client = made(signed_in, "before")
    with signed_in.client() as api:
        api.patch(f"/v1/clients/{client['client_id']}", json={"name": "after"}, headers={"X-Request-ID": "asked-7"})
    signed_in.go(f"{AUDIT}?client_id={client['client_id']}&event=client.changed")
    signed_in.page.locator("summary").click()
    signed_in.sees("asked-7")
    expect(signed_in.page.locator("del")).to_have_text(["before"])
    expect(signed_in.page.locator("ins")).to_have_text(["after"])


@browser_test
def test_what_is_selected_is_exported(signed_in: Desk) -> None:
    """Also over several pages of the API."""
    for name in HOSTILE_NAMES:
        made(signed_in, name[:256])
    signed_in.page.route("**/v1/audit*", lambda route: route.continue_(url=route.request.url.replace("=1000", "=2")))
    signed_in.go(f"{AUDIT}?event=client.created")
    with signed_in.client() as api:
        expected = api.get("/v1/audit", params={"event": "client.created"}).json()["items"]
    lines = exported(signed_in, "Export as JSON lines").splitlines()
    assert [json.loads(line) for line in lines] == expected
    table = list(csv.DictReader(io.StringIO(exported(signed_in, "Export as CSV"), newline="")))
    assert [row["id"] for row in table] == [entry["id"] for entry in expected]
    assert [json.loads(row["details"]) for row in table] == [entry["details"] for entry in expected]


@browser_test
def test_an_export_is_cancelled_and_an_error_stands_there(signed_in: Desk) -> None:
    signed_in.go(AUDIT)
    sees_row(signed_in, "Service started")
    signed_in.page.route("**/v1/audit*limit=1000*", lambda route: None)  # it never answers
    signed_in.page.get_by_role("button", name="Export as CSV").click()
    signed_in.page.get_by_role("button", name="Cancel").click()
    signed_in.sees("Cancelled.")
    signed_in.page.unroute_all(behavior="ignoreErrors")
    refusal = {"error": "the store can't be used now"}
    signed_in.page.route("**/v1/audit*limit=1000*", lambda route: route.fulfill(status=503, json=refusal))
    signed_in.page.get_by_role("button", name="Export as CSV").click()
    signed_in.sees("The store can't be used now.")


@browser_test
def test_a_wrong_filter_is_refused_in_the_words_of_the_service(signed_in: Desk) -> None:
    signed_in.go(f"{AUDIT}?event=client.craeted")
    signed_in.sees("did you mean")


@browser_test
@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=range(len(HOSTILE_NAMES)))
def test_a_hostile_name_is_text(signed_in: Desk, name: str) -> None:
    client = made(signed_in, name[:256])
    signed_in.go(f"{AUDIT}?client_id={client['client_id']}")
    signed_in.page.locator("summary").click()
    signed_in.page.locator("dd", has_text=client["client_id"]).first.wait_for()
    expect(signed_in.page).to_have_title(re.compile("^Audit"))
    assert signed_in.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@browser_test
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_can_be_used_by_everybody(browser: Any, server: Server, dark: bool) -> None:
    with desk(browser, server, dark=dark, phone=dark) as found:
        found.sign_in(place=AUDIT)
        sees_row(found, "Service started")
        found.page.locator("summary").first.click()
        assert found.serious() == []
        assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
