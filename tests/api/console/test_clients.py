"""Clients and API keys in the console: made, shown once, changed, ended (contract 2.8, issue 19, item 3)."""

import csv
import io
import json
from typing import Any

import httpx
import pytest

from tests.support.console import HOSTILE_NAMES, Desk, as_seen, desk, expect
from tests.support.server import Server

pytestmark = pytest.mark.browser

CLIENTS = "#/default/clients"


def made_client(desk: Desk, **more: Any) -> dict[str, Any]:
    with desk.client() as api:
        return dict(api.post("/v1/clients", json={"name": "web shop", "scopes": ["write"]} | more).json())


def token(desk: Desk, id: str, secret: str) -> httpx.Response:
    form = {"grant_type": "client_credentials", "client_id": id, "client_secret": secret}
    return httpx.post(f"{desk.server.url}/v1/oauth/token", data=form)


def press(desk: Desk, name: str) -> None:
    desk.page.get_by_role("button", name=name, exact=True).click()


def shown_secret(desk: Desk) -> str:
    """The last value in the open dialog: the secret itself."""
    dialog = desk.page.get_by_role("dialog")
    dialog.wait_for()
    return str(dialog.locator(".secret code").last.inner_text())


def confirm(desk: Desk, name: str, button: str) -> None:
    desk.page.get_by_label("To confirm, type").fill(name)
    desk.page.get_by_role("dialog").get_by_role("button", name=button).click()


def exported(desk: Desk, section: str, button: str) -> str:
    with desk.page.expect_download() as download:
        desk.page.get_by_role("region", name=section, exact=True).get_by_role("button", name=button).click()
    return download.value.path().read_bytes().decode()


def test_clients_and_keys_are_exported_as_they_are_listed(signed_in: Desk) -> None:
    """A name that a spreadsheet would calculate is a text, and no secret is in a file."""
    client = made_client(signed_in, name="=1+1", environments=["default"])
    with signed_in.client() as api:
        key = api.post("/v1/api-keys", json={"name": "@cmd", "scopes": ["read"], "environments": None}).json()
        clients, keys = (api.get(f"/v1/{one}").json()["items"] for one in ("clients", "api-keys"))
    signed_in.go(CLIENTS)
    lines = exported(signed_in, "Clients", "Export as JSON lines")
    assert [json.loads(line) for line in lines.splitlines()] == clients
    table = exported(signed_in, "API keys", "Export as CSV")
    rows = {row["id"]: row for row in csv.DictReader(io.StringIO(table, newline=""))}
    assert rows.keys() == {one["id"] for one in keys}
    assert (rows[key["id"]]["name"], rows[key["id"]]["environments"]) == ("'@cmd", "every environment")
    assert client["client_secret"] not in lines
    assert key["key"] not in table
    rows = {
        row["client_id"]: row for row in csv.DictReader(io.StringIO(exported(signed_in, "Clients", "Export as CSV")))
    }
    assert (rows[client["client_id"]]["name"], rows[client["client_id"]]["environments"]) == ("'=1+1", "default")


def test_a_client_is_created_and_gets_a_token_with_its_secret(signed_in: Desk) -> None:
    signed_in.go(CLIENTS)
    signed_in.page.get_by_role("link", name="Create client").click()
    signed_in.page.get_by_label("Name").fill("nightly import")
    signed_in.page.get_by_label("Description").fill("Asks at night")
    signed_in.page.get_by_label("write").check()
    expect(signed_in.page.get_by_label("Only these")).to_be_checked()
    signed_in.page.get_by_role("button", name="Remove default").wait_for()
    signed_in.page.get_by_label("Seconds that a token lives").fill("900")
    press(signed_in, "Create client")
    secret = shown_secret(signed_in)
    id = signed_in.page.get_by_role("dialog").locator(".secret code").first.inner_text()
    answer = token(signed_in, id, secret)
    assert (answer.status_code, answer.json()["expires_in"], answer.json()["scope"]) == (200, 900, "write")
    press(signed_in, "Close")
    press(signed_in, "Yes, it is stored")
    signed_in.page.get_by_role("dialog").wait_for(state="detached")
    signed_in.page.get_by_role("heading", name="nightly import").wait_for()
    signed_in.sees("15 minutes")
    signed_in.sees("Last used")
    signed_in.sees("Client created")  # in its audit trail
    signed_in.settle()
    assert secret not in signed_in.page.content()


def test_closing_asks_whether_the_secret_was_stored(signed_in: Desk) -> None:
    signed_in.go(f"{CLIENTS}/new-key")
    signed_in.page.get_by_label("Name").fill("careless")
    press(signed_in, "Create API key")
    secret = shown_secret(signed_in)
    signed_in.page.keyboard.press("Escape")
    signed_in.sees("Did you store it?")
    press(signed_in, "No, go back")
    assert shown_secret(signed_in) == secret
    assert decides(signed_in, secret)
    press(signed_in, "Close")
    press(signed_in, "Yes, it is stored")
    signed_in.page.get_by_role("heading", name="careless").wait_for()


def test_a_secret_is_copied_where_the_browser_lets_a_page_copy(signed_in: Desk) -> None:
    signed_in.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    signed_in.go(f"{CLIENTS}/new-key")
    signed_in.page.get_by_label("Name").fill("copied")
    press(signed_in, "Create API key")
    secret = shown_secret(signed_in)
    press(signed_in, "Copy")
    signed_in.sees("Copied.")
    assert signed_in.page.evaluate("navigator.clipboard.readText()") == secret


def test_where_a_page_may_not_copy_the_secret_is_selected(signed_in: Desk) -> None:
    """Over plain HTTP, a browser has no clipboard for pages of another machine."""
    signed_in.page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    signed_in.go(f"{CLIENTS}/new-key")
    signed_in.page.get_by_label("Name").fill("selected")
    press(signed_in, "Create API key")
    secret = shown_secret(signed_in)
    press(signed_in, "Copy")
    signed_in.sees("The text is selected")
    assert signed_in.page.evaluate("getSelection().toString()") == secret


def test_what_the_service_refuses_stands_at_its_field(signed_in: Desk) -> None:
    signed_in.go(f"{CLIENTS}/new-client")
    signed_in.page.get_by_label("Name").fill("bound")
    press(signed_in, "Remove default")
    signed_in.page.get_by_label("Ids of environments").fill("nowhere")
    press(signed_in, "Add")
    press(signed_in, "Create client")
    fault = signed_in.page.locator("#environments-fault")
    fault.get_by_text("There is no environment nowhere.").wait_for()
    signed_in.sees("see the marked field")
    press(signed_in, "Remove nowhere")
    signed_in.page.get_by_label("Ids of environments").fill("default")
    press(signed_in, "Create client")
    assert shown_secret(signed_in)


def test_a_client_is_changed_and_the_change_is_undone(signed_in: Desk) -> None:
    client = made_client(signed_in, description="The shop")
    signed_in.go(f"{CLIENTS}/client/{client['client_id']}")
    press(signed_in, "Change")
    signed_in.page.get_by_label("Name").fill("web shop 2")
    signed_in.page.get_by_label("read").check()
    with signed_in.client() as api:  # somebody else changes another member meanwhile
        api.patch(f"/v1/clients/{client['client_id']}", json={"description": "The new shop"})
    press(signed_in, "Save")
    signed_in.sees("The client is changed.")
    with signed_in.client() as api:
        now = api.get(f"/v1/clients/{client['client_id']}").json()
        assert (now["name"], now["scopes"], now["description"]) == ("web shop 2", ["read"], "The new shop")
        press(signed_in, "Undo")
        signed_in.page.get_by_role("heading", name="web shop", exact=False).wait_for()
        signed_in.page.get_by_role("button", name="Undo").wait_for(state="detached")
        now = api.get(f"/v1/clients/{client['client_id']}").json()
        assert (now["name"], now["scopes"], now["description"]) == ("web shop", ["write"], "The new shop")


def test_a_key_for_decisions_is_made_and_rotated(signed_in: Desk) -> None:
    """The task: make and rotate a key. One field to fill, and a button for each step."""
    signed_in.go(f"{CLIENTS}/new-key")
    expect(signed_in.page.get_by_label("decide")).to_be_checked()
    signed_in.page.get_by_label("Name").fill("gateway")
    press(signed_in, "Create API key")
    old = shown_secret(signed_in)
    press(signed_in, "Close")
    press(signed_in, "Yes, it is stored")
    press(signed_in, "Make a new key…")
    expect(signed_in.page.get_by_label("For a day")).to_be_checked()
    expires = signed_in.page.get_by_role("dialog").get_by_label("Expires")
    expect(expires.locator("option:checked")).to_contain_text("as before: ")
    expires.select_option("date")
    press(signed_in, "Make a new key")
    signed_in.sees("write when the key expires")
    assert signed_in.serious() == []
    expires.select_option("never")
    press(signed_in, "Make a new key")
    signed_in.page.get_by_role("heading", name="A new key", exact=True).wait_for()
    new = shown_secret(signed_in)
    assert (decides(signed_in, old), decides(signed_in, new)) == (True, True)
    press(signed_in, "Close")
    press(signed_in, "Yes, it is stored")
    signed_in.sees("works until")
    expect(signed_in.page.locator("dt", has_text="Expires").locator("+ dd")).to_contain_text("never")
    assert signed_in.serious() == []
    press(signed_in, "End the old secrets")
    signed_in.page.get_by_text("works until").wait_for(state="detached")
    assert (decides(signed_in, old), decides(signed_in, new)) == (False, True)


def decides(desk: Desk, key: str) -> bool:
    """Returns whether a decision may be asked with the key."""
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.post(f"{desk.server.url}/access/v1/evaluation", json={}, headers=headers).status_code == 400


def test_a_new_secret_ends_the_old_one(signed_in: Desk) -> None:
    client = made_client(signed_in, name="leaky")
    signed_in.go(f"{CLIENTS}/client/{client['client_id']}")
    press(signed_in, "Make a new secret…")
    signed_in.page.get_by_label("Not at all").check()
    press(signed_in, "Make a new secret")
    signed_in.page.get_by_role("heading", name="A new secret").wait_for()
    secret = shown_secret(signed_in)
    assert token(signed_in, client["client_id"], client["client_secret"]).status_code == 401
    assert token(signed_in, client["client_id"], secret).status_code == 200


def test_a_client_is_revoked_and_deleted_by_its_name(signed_in: Desk) -> None:
    client = made_client(signed_in, name="old one")
    signed_in.go(f"{CLIENTS}/client/{client['client_id']}")
    press(signed_in, "Revoke client…")
    confirm(signed_in, "old one", "Revoke client")
    signed_in.sees("This client is revoked.")
    assert token(signed_in, client["client_id"], client["client_secret"]).status_code == 401
    expect(signed_in.page.get_by_role("button", name="Make a new secret")).to_have_count(0)
    press(signed_in, "Delete client…")
    confirm(signed_in, "old one", "Delete client")
    signed_in.sees("The client old one is deleted.")
    with signed_in.client() as api:
        assert api.get(f"/v1/clients/{client['client_id']}").status_code == 404


def test_a_deletion_that_fails_says_so_in_its_dialog(signed_in: Desk) -> None:
    with signed_in.client() as api:
        key = api.post("/v1/api-keys", json={"name": "twice", "scopes": ["read"]}).json()
        signed_in.go(f"{CLIENTS}/key/{key['id']}")
        press(signed_in, "Delete API key…")
        api.delete(f"/v1/api-keys/{key['id']}")
    confirm(signed_in, "twice", "Delete API key")
    signed_in.page.get_by_role("dialog").get_by_role("alert").wait_for()


def test_lists_page_each_with_a_cursor_of_its_own(signed_in: Desk) -> None:
    with signed_in.client() as api:
        for number in range(26):
            api.post("/v1/api-keys", json={"name": f"key {number}", "scopes": ["read"]})
    signed_in.go(CLIENTS)
    signed_in.page.get_by_role("link", name="Next page").last.click()
    signed_in.page.get_by_role("link", name="First page").wait_for()
    assert "keys=" in signed_in.page.url
    assert "clients=" not in signed_in.page.url
    signed_in.page.go_back()
    signed_in.page.get_by_role("link", name="First page").wait_for(state="detached")


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=range(len(HOSTILE_NAMES)))
def test_a_hostile_name_is_text(signed_in: Desk, name: str) -> None:
    client = made_client(signed_in, name=name[:256])
    signed_in.go(CLIENTS)
    link = signed_in.page.locator(f"a[href$='{client['client_id']}']")
    link.wait_for()
    assert link.evaluate("link => link.textContent.trim()") == as_seen(name[:256].strip())
    link.click()
    signed_in.page.get_by_role("heading", name="What it may do").wait_for()
    assert signed_in.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    press(signed_in, "Delete client…")
    confirm(signed_in, signed_in.page.get_by_role("dialog").locator("label code").inner_text(), "Delete client")
    signed_in.sees("is deleted")


def test_a_credential_without_the_scope_is_told_in_the_words_of_the_service(at_desk: Desk) -> None:
    with at_desk.client() as api:
        key = api.post("/v1/api-keys", json={"name": "reader", "scopes": ["read"]}).json()["key"]
    at_desk.sign_in(key, CLIENTS)
    at_desk.sees("This needs a credential of the scope")


def test_a_bound_administrator_gives_no_more_than_it_has(at_desk: Desk) -> None:
    with at_desk.client() as api:
        bound = {"name": "bound", "scopes": ["admin"], "environments": ["default"]}
        key = api.post("/v1/api-keys", json=bound).json()["key"]
    at_desk.sign_in(key, f"{CLIENTS}/new-client")
    at_desk.page.get_by_label("Name").fill("within bounds")
    expect(at_desk.page.get_by_label("All, also those to come")).to_have_count(0)
    press(at_desk, "Create client")
    id = at_desk.page.get_by_role("dialog").locator(".secret code").first.inner_text()
    with at_desk.client() as api:
        assert api.get(f"/v1/clients/{id}").json()["environments"] == ["default"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_pages_can_be_used_by_everybody(browser: Any, server: Server, dark: bool) -> None:
    with desk(browser, server, dark=dark, phone=dark) as found:
        client = made_client(found, name="seen")
        found.sign_in(place=CLIENTS)
        for place in (
            CLIENTS,
            f"{CLIENTS}/new-client",
            f"{CLIENTS}/new-key",
            f"{CLIENTS}/client/{client['client_id']}",
        ):
            found.go(place)
            assert found.serious() == []
            assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
