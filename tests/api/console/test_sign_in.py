"""Who signs in, what stays of it in the browser, and what happens when the session ends (issue 19, item 1)."""

import pytest

from tests.support.console import Desk, expect
from tests.support.server import KEY

pytestmark = pytest.mark.browser

POLICIES = "#/default/policies"


def kept(desk: Desk) -> str:
    """Everything that the browser would keep."""
    return str(
        desk.page.evaluate(
            "async () => JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href,"
            " (await indexedDB.databases()).length, await caches.keys()])"
        )
    )


def test_a_key_signs_in_and_stays_in_memory_alone(at_desk: Desk) -> None:
    at_desk.sign_in()
    at_desk.sees("Signed in as the administrator's key, admin")
    assert KEY not in kept(at_desk)
    assert kept(at_desk).startswith('[{},{},"",')


def test_a_client_signs_in_with_its_secret(at_desk: Desk) -> None:
    with at_desk.client() as api:
        made = api.post("/v1/clients", json={"name": "console of ops", "scopes": ["read"]}).json()
    at_desk.open()
    at_desk.page.get_by_label("A client").check()
    at_desk.page.get_by_label("Client id").fill(made["client_id"])
    at_desk.page.get_by_label("Client secret").fill(made["client_secret"])
    at_desk.page.get_by_role("button", name="Sign in").click()
    at_desk.sees("Signed in as console of ops, read")
    at_desk.settle()
    expect(at_desk.page.get_by_role("link", name="Clients and keys")).to_have_count(0)  # it needs `admin`


def test_a_wrong_key_is_refused_where_it_was_typed(at_desk: Desk) -> None:
    at_desk.open()
    at_desk.page.get_by_label("API key, or the administrator's key").fill("wrong")
    at_desk.page.get_by_role("button", name="Sign in").click()
    at_desk.page.get_by_role("alert").wait_for()
    expect(at_desk.page.get_by_role("heading", name="Sign in to Writ")).to_be_visible()


def test_a_reload_forgets_the_session_and_returns_to_the_page(at_desk: Desk) -> None:
    at_desk.sign_in(place="#/default/try")
    at_desk.page.get_by_role("heading", name="Try a decision").wait_for()
    at_desk.page.reload()
    at_desk.page.get_by_label("API key, or the administrator's key").fill(KEY)
    at_desk.page.get_by_role("button", name="Sign in").click()
    at_desk.page.get_by_role("heading", name="Try a decision").wait_for()


def test_an_ended_session_says_so_and_goes_on_after_the_next_one(at_desk: Desk) -> None:
    with at_desk.client() as api:
        made = api.post("/v1/api-keys", json={"name": "short", "scopes": ["admin"]}).json()
        at_desk.sign_in(made["key"], "#/default/overview")
        at_desk.sees("Signed in as short, admin")
        api.delete(f"/v1/api-keys/{made['id']}")
    at_desk.go("#/default/try")
    at_desk.sees("Sign in again to go on where you were")
    at_desk.page.get_by_label("API key, or the administrator's key").fill(KEY)
    at_desk.page.get_by_role("button", name="Sign in").click()
    at_desk.page.get_by_role("heading", name="Try a decision").wait_for()


def test_nothing_is_asked_of_another_host(at_desk: Desk) -> None:
    asked: list[str] = []
    at_desk.page.on("request", lambda request: asked.append(request.url))
    at_desk.sign_in()
    at_desk.settle()
    assert asked
    assert all(url.startswith((at_desk.server.url, "about:")) for url in asked)


def test_signing_out_leaves_nothing(signed_in: Desk) -> None:
    signed_in.page.get_by_role("button", name="Sign out").click()
    signed_in.page.get_by_role("heading", name="Sign in to Writ").wait_for()
    expect(signed_in.page.get_by_role("navigation", name="Console")).to_have_count(0)


def test_the_sign_in_can_be_used_by_everybody(at_desk: Desk) -> None:
    at_desk.open()
    at_desk.page.get_by_role("heading", name="Sign in to Writ").wait_for()
    assert at_desk.serious() == []
