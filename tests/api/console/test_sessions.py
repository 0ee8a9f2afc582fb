"""Sessions in one window: what one caller began never goes on as the next one, nor stays (issue 19, item 1)."""

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.console import Desk, expect
from tests.support.server import KEY, Server

pytestmark = pytest.mark.browser

AUDIT = "**/v1/audit?*limit=1000*"


@pytest.fixture(scope="module")
def keys(server: Server) -> Iterator[Any]:
    """Makes API keys beside the browser, and ends them."""
    with server.client() as api:
        api.post("/v1/environments", json={"id": "mine"}).raise_for_status()
        yield api


def made(keys: Any, name: str, *scopes: str, environments: list[str] | None = None) -> dict[str, Any]:
    body = {"name": name, "scopes": list(scopes), "environments": environments}
    return dict(keys.post("/v1/api-keys", json=body).raise_for_status().json())


def sign_out(desk: Desk) -> None:
    desk.page.get_by_role("button", name="Sign out").click()
    desk.page.get_by_role("heading", name="Sign in to Writ").wait_for()


def sign_in_here(desk: Desk, key: str) -> None:
    """Sign in on the page that is open, in the same window."""
    desk.page.get_by_label("API key, or the administrator's key").fill(key)
    desk.page.get_by_role("button", name="Sign in").click()
    desk.page.get_by_role("navigation", name="Console").wait_for()


def press(desk: Desk, name: str) -> None:
    desk.page.get_by_role("button", name=name, exact=True).click()


class Held:
    """Calls that wait on their way to the service until they may go on."""

    def __init__(self, desk: Desk, pattern: str, method: str = "GET") -> None:
        self.desk, self.pattern, self.method = desk, pattern, method
        self.routes: list[Any] = []
        desk.page.route(pattern, self._take)

    def _take(self, route: Any) -> None:
        if route.request.method == self.method:
            self.routes.append(route)
        else:
            route.continue_()

    def wait(self) -> None:
        """Wait until a call is held."""
        self.desk.wait_until(lambda: self.routes)

    def release(self) -> None:
        """Let the calls go on, and those that follow. The page has their answers then."""
        self.desk.page.unroute(self.pattern)
        for route in self.routes:
            with contextlib.suppress(Exception):  # the page has given it up
                route.continue_()
        self.desk.settle()


def test_an_export_stops_with_its_session(keys: Any, signed_in: Desk) -> None:
    """Its second page went out with the credential of whoever signed in next."""
    other = made(keys, "next", "admin")
    signed_in.go("#/default/audit")
    signed_in.page.get_by_role("button", name="Export as JSON lines").wait_for()
    asked: list[str] = []
    first: list[Any] = []

    def cut(route: Any) -> None:
        """Pages of one row, so that there is a second one; the first waits."""
        url = route.request.url.replace("limit=1000", "limit=1")
        asked.append(url)
        if first:
            route.continue_(url=url)
        else:
            first.append((route, url))

    signed_in.page.route(AUDIT, cut)
    press(signed_in, "Export as JSON lines")
    signed_in.wait_until(lambda: first)
    sign_out(signed_in)
    sign_in_here(signed_in, other["key"])
    with contextlib.suppress(Exception):  # the page has given it up
        first[0][0].continue_(url=first[0][1])
    signed_in.settle()
    signed_in.go("#/default/policies")  # a call that goes out later than a second page of the export would
    signed_in.settle()
    assert len(asked) == 1


def test_a_refusal_of_an_earlier_session_does_not_end_this_one(keys: Any, at_desk: Desk) -> None:
    first, second = made(keys, "first", "read"), made(keys, "second", "read")
    at_desk.sign_in(first["key"], "#/default/policies")
    at_desk.settle()
    held = Held(at_desk, "**/v1/environments/default/roles?*")
    at_desk.go("#/default/roles")
    held.wait()
    keys.delete(f"/v1/api-keys/{first['id']}").raise_for_status()
    sign_out(at_desk)
    sign_in_here(at_desk, second["key"])
    held.release()
    at_desk.sees("Signed in as second, read")
    expect(at_desk.page.get_by_role("heading", name="Sign in to Writ")).to_have_count(0)


def test_the_next_caller_sees_no_environments_of_the_one_before(keys: Any, signed_in: Desk) -> None:
    bound = made(keys, "bound", "read", environments=["mine"])
    options = signed_in.page.locator("#environment option")
    signed_in.go("#/mine/policies")
    signed_in.page.locator("#environment option[value=default]").wait_for(state="attached")
    sign_out(signed_in)
    held = Held(signed_in, "**/v1/environments?*")
    sign_in_here(signed_in, bound["key"])
    expect(options).to_have_text(["mine"])
    held.release()
    expect(options).to_have_text(["mine"])


def test_the_next_caller_can_not_undo_what_the_one_before_did(keys: Any, signed_in: Desk) -> None:
    keys.post("/v1/environments/default/roles", json={"id": "passing"}).raise_for_status()
    signed_in.go("#/default/roles/passing")
    press(signed_in, "Delete")
    signed_in.page.get_by_label("To confirm, type").fill("passing")
    press(signed_in, "Delete the role")
    signed_in.sees("The role is deleted")
    sign_out(signed_in)
    sign_in_here(signed_in, made(keys, "reader", "read")["key"])
    signed_in.page.get_by_role("search").wait_for()
    signed_in.settle()
    expect(signed_in.page.get_by_role("button", name="Undo")).to_have_count(0)
    expect(signed_in.page.get_by_text("The role is deleted")).to_have_count(0)  # it is not announced either


def test_a_secret_that_comes_after_the_sign_out_is_not_shown(signed_in: Desk) -> None:
    signed_in.go("#/default/clients/new-client")
    signed_in.page.get_by_label("Name").fill("late")
    held = Held(signed_in, "**/v1/clients", "POST")
    press(signed_in, "Create client")
    held.wait()
    sign_out(signed_in)
    held.release()
    expect(signed_in.page.get_by_role("dialog")).to_have_count(0)
    assert "client_secret" not in signed_in.page.content()
    sign_in_here(signed_in, KEY)
    signed_in.page.get_by_role("heading", name="New client").wait_for()
    expect(signed_in.page.get_by_role("dialog")).to_have_count(0)


def test_a_question_ends_with_its_session(keys: Any, at_desk: Desk) -> None:
    """The question whether to end a client stood before whoever signed in next, and would have ended it."""
    key = made(keys, "short", "admin")
    client = keys.post("/v1/clients", json={"name": "asked about", "scopes": ["read"]}).json()
    at_desk.sign_in(key["key"], f"#/default/clients/client/{client['client_id']}")
    press(at_desk, "Delete client…")
    at_desk.page.get_by_label("To confirm, type").fill("asked about")
    keys.delete(f"/v1/api-keys/{key['id']}").raise_for_status()
    press(at_desk, "Delete client")
    at_desk.page.get_by_role("heading", name="Sign in to Writ").wait_for()
    expect(at_desk.page.get_by_role("dialog")).to_have_count(0)
    sign_in_here(at_desk, KEY)
    at_desk.page.get_by_role("heading", name="asked about").wait_for()
    expect(at_desk.page.get_by_role("dialog")).to_have_count(0)


def test_a_secret_on_the_screen_outlives_a_credential_that_ends(keys: Any, at_desk: Desk) -> None:
    """Nobody can show it again. It goes when the user says that it is stored."""
    key = made(keys, "ending", "admin")
    at_desk.sign_in(key["key"], "#/default/clients/new-key")
    at_desk.page.get_by_label("Name").fill("kept")
    held = Held(at_desk, "**/v1/api-keys/*")
    press(at_desk, "Create API key")
    at_desk.page.get_by_role("dialog").wait_for()
    held.wait()
    keys.delete(f"/v1/api-keys/{key['id']}").raise_for_status()
    held.release()
    at_desk.page.get_by_role("heading", name="Sign in to Writ").wait_for(state="attached")
    secret = str(at_desk.page.get_by_role("dialog").locator(".secret code").last.inner_text())
    assert secret.startswith("writ_")
    press(at_desk, "Close")
    press(at_desk, "Yes, it is stored")
    at_desk.page.get_by_role("dialog").wait_for(state="detached")
    assert secret not in at_desk.page.content()
    sign_in_here(at_desk, KEY)
    at_desk.page.get_by_role("heading", name="kept").wait_for()
