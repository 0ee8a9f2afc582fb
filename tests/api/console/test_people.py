"""People in the console: they sign in at a provider, share a session among tabs, are named, and lose no text."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.console import Desk, desk, expect
from tests.support.openid_provider import CLIENT, OpenIdProvider, openid_provider
from tests.support.server import Server, running

pytestmark = pytest.mark.browser

ANN = {"sub": "1", "name": "Ann Lee", "groups": ["admins"]}
BEN = {"sub": "2", "name": "Ben <img src=x onerror=alert(1)> Ode", "groups": ["admins"]}
RULES = {"ask": "the platform team", "rules": [{"group": "admins", "scope": "admin"}]}


@pytest.fixture(scope="module")
def provider() -> Iterator[OpenIdProvider]:
    with openid_provider() as found:
        found.person = ANN
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, provider: OpenIdProvider) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("people")
    (folder / "rules.json").write_text(json.dumps(RULES))
    settings = {
        "WRIT_OIDC_ISSUER": provider.url,
        "WRIT_OIDC_CLIENT_ID": CLIENT,
        "WRIT_OIDC_ROLES": str(folder / "rules.json"),
    }
    with running(folder / "data", "--demo", settings=settings, workers=2) as found:
        yield found


@contextmanager
def person(
    browser: Any, server: Server, provider: OpenIdProvider, claims: dict[str, Any], place: str = ""
) -> Iterator[Desk]:
    """A fresh window of a person who has signed in."""
    provider.person = claims
    with desk(browser, server) as found:
        found.open(place)
        press_sign_in(found)
        found.sees(f"Signed in as {claims['name']}, admin")
        yield found
    provider.person = ANN


def press_sign_in(at: Desk) -> None:
    at.page.get_by_role("button", name="Sign in with 127.0.0.1").click()


def press_sign_in_as(at: Desk, provider: OpenIdProvider, claims: dict[str, Any]) -> None:
    provider.person = claims
    press_sign_in(at)
    at.sees(f"Signed in as {claims['name']}, admin")
    provider.person = ANN


def kept(at: Desk) -> str:
    """Everything of the browser's stores that a script can read."""
    return str(at.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])"))


def test_a_person_signs_in_and_all_tabs_share_the_session(
    browser: Any, server: Server, provider: OpenIdProvider
) -> None:
    with person(browser, server, provider, ANN, "#/default/roles") as ann:
        assert ann.page.url.endswith("/console/#/default/roles"), "the place is as before"
        assert kept(ann) == '[{},{},""]'
        (cookie,) = ann.page.context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"], cookie["expires"]) == (True, "Strict", -1)
        ann.page.reload()
        ann.sees("Signed in as Ann Lee, admin")
        assert ann.serious() == []
        second = ann.page.context.new_page()
        second.goto(f"{server.url}/console/")
        second.get_by_role("banner").get_by_text("Signed in as Ann Lee, admin").wait_for()
        second.get_by_role("button", name="Sign out").click()
        ann.page.get_by_role("heading", name="Sign in to Writ").wait_for()
        assert ann.serious() == []
        ann.page.reload()
        ann.page.get_by_role("button", name="Sign in with 127.0.0.1").wait_for()
        second.get_by_label("API key, or the administrator's key").wait_for()
        with server.client() as api:
            ended = api.get("/v1/audit", params={"event": "session.ended"}).json()["items"]
        assert [one["actor_name"] for one in ended] == ["Ann Lee"]


def test_history_and_audit_name_a_person(browser: Any, server: Server, provider: OpenIdProvider) -> None:
    with person(browser, server, provider, ANN, "#/default/roles/editor") as ann:
        ann.page.get_by_label("Name", exact=True).fill("from-ann")
        ann.page.get_by_role("button", name="Review and save").click()
        ann.page.get_by_role("button", name="Save the role").click()
        ann.sees("The role is saved.")
        ann.go("#/default/history")
        ann.page.get_by_role("cell", name="Ann Lee").first.wait_for()
        ann.go("#/default/audit")
        ann.page.get_by_role("cell", name="Ann Lee").first.wait_for()
        ann.go("#/default/who-can")
        ann.page.get_by_role("heading", name="Who can").wait_for()


def test_the_page_of_sessions_ends_one_or_all_of_a_person(
    browser: Any, server: Server, provider: OpenIdProvider
) -> None:
    with person(browser, server, provider, BEN) as ben, person(browser, server, provider, ANN) as ann:
        ann.go("#/default/sessions")
        assert ann.serious() == []
        ann.page.get_by_role("button", name=f"End the session of {BEN['name']}").first.click()
        ann.sees(f"A session of {BEN['name']} has ended")
        ben.page.reload()
        ben.page.get_by_role("button", name="Sign in with 127.0.0.1").wait_for()
        press_sign_in_as(ben, provider, BEN)
        ann.page.get_by_role("button", name=f"End all sessions of {BEN['name']}").click()
        ann.page.get_by_label(f"To confirm, type {BEN['name']}").fill(str(BEN["name"]))
        ann.page.get_by_role("button", name="End all sessions", exact=True).click()
        ann.sees(f"All sessions of {BEN['name']} have ended")
        expect(ann.page.get_by_role("button", name=f"End the session of {BEN['name']}")).to_have_count(0)
        ben.page.reload()
        ben.page.get_by_role("button", name="Sign in with 127.0.0.1").wait_for()
        ann.sees("Signed in as Ann Lee, admin")


def test_unsaved_text_outlives_a_session(browser: Any, server: Server, provider: OpenIdProvider) -> None:
    with person(browser, server, provider, ANN, "#/default/roles/editor") as ann, server.client() as api:
        ann.page.get_by_label("Name", exact=True).fill("half-written")
        for one in api.get("/v1/sessions").json()["items"]:
            api.delete(f"/v1/sessions/{one['id']}").raise_for_status()
        ann.page.get_by_role("button", name="Review and save").click()
        ann.sees("What you wrote is kept.")
        ann.settle()
        assert "half-written" not in ann.page.inner_text("body")
        assert "half-written" not in kept(ann)
        with ann.page.context.expect_page() as opened:
            press_sign_in(ann)
        ann.sees("Signed in as Ann Lee, admin")
        ann.sees_value("Name", "half-written")
        if not opened.value.is_closed():
            opened.value.close()


def test_what_a_person_wrote_is_not_shown_to_the_next(browser: Any, server: Server, provider: OpenIdProvider) -> None:
    with person(browser, server, provider, ANN, "#/default/roles/editor") as ann, server.client() as api:
        ann.page.get_by_label("Name", exact=True).fill("a-secret-plan")
        for one in api.get("/v1/sessions").json()["items"]:
            api.delete(f"/v1/sessions/{one['id']}").raise_for_status()
        save = ann.page.get_by_role("button", name="Review and save")
        save.evaluate_all("found => found.forEach(one => one.click())")  # the page may have noticed it by itself
        ann.sees("What you wrote is kept.")
        provider.person = BEN
        with ann.page.context.expect_page():
            press_sign_in(ann)
        ann.sees(f"Signed in as {BEN['name']}, admin")
        ann.sees_value("Name", api.get("/v1/environments/default/roles/editor").json()["name"])


def test_no_group_no_access_and_the_page_says_whom_to_ask(
    browser: Any, server: Server, provider: OpenIdProvider
) -> None:
    provider.person = {"sub": "3", "name": "Cy", "groups": ["others"]}
    with desk(browser, server) as cy:
        cy.open()
        cy.sees("If you have no access, ask the platform team.")
        press_sign_in(cy)
        cy.sees("None of your groups gives you access to Writ. To get access, ask the platform team.")
        assert cy.serious() == []
        cy.page.get_by_role("link", name="Back to the sign-in").click()
        cy.page.get_by_role("button", name="Sign in with 127.0.0.1").wait_for()
        assert cy.page.context.cookies() == []
    provider.person = ANN
