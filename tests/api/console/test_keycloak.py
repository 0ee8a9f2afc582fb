"""The sign-in at a real provider: Keycloak, in a real browser (issue 34, item 3)."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.console import Desk, desk
from tests.support.keycloak import CLIENT, PASSWORD, SECRET, keycloak, realm
from tests.support.ports import free_port
from tests.support.server import Server, running

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]  # Keycloak compiles itself at its first start

PEOPLE = {"Ann": "writ-admins", "Ben": "writ-admins", "Cy": None}
RULES = {"ask": "the platform team", "rules": [{"group": "writ-admins", "scope": "admin"}]}


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[str]:
    document = realm(f"http://127.0.0.1:{port}/console/", PEOPLE)
    with keycloak(tmp_path_factory.mktemp("keycloak"), document) as found:
        yield found


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, issuer: str, port: int) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("people")
    (folder / "rules.json").write_text(json.dumps(RULES))
    (folder / "secret").write_text(SECRET)
    settings = {
        "WRIT_OIDC_ISSUER": issuer,
        "WRIT_OIDC_CLIENT_ID": CLIENT,
        "WRIT_OIDC_CLIENT_SECRET_FILE": str(folder / "secret"),
        "WRIT_OIDC_ROLES": str(folder / "rules.json"),
    }
    arguments = ("--demo", "--bind", f"127.0.0.1:{port}")
    with running(folder / "data", *arguments, settings=settings, workers=2) as found:
        with found.client() as api:
            api.post("/v1/environments", json={"id": "target", "approvals": 1}).raise_for_status()
        yield found


def sign_in(at: Desk, name: str, place: str = "") -> None:
    at.open(place)
    at.page.get_by_role("button", name="Sign in with 127.0.0.1").click()
    at.page.locator("#username").fill(name.lower())
    at.page.locator("#password").fill(PASSWORD)
    at.page.locator("#kc-login").click()


@contextmanager
def person(browser: Any, server: Server, name: str, place: str = "") -> Iterator[Desk]:
    """A fresh window of a person who has signed in. Keycloak's own pages may complain as they like."""
    with desk(browser, server) as found:
        sign_in(found, name, place)
        found.sees(f"Signed in as {name} Example, admin")
        found.complaints.clear()
        yield found


def test_two_people_change_approve_and_are_named(browser: Any, server: Server) -> None:
    with person(browser, server, "Ann", "#/default/roles/editor") as ann:
        assert ann.page.url.endswith("#/default/roles/editor")
        ann.page.reload()
        ann.sees("Signed in as Ann Example, admin")
        second = ann.page.context.new_page()
        second.goto(f"{server.url}/console/")
        second.get_by_role("banner").get_by_text("Signed in as Ann Example, admin").wait_for()
        ann.page.get_by_label("Name", exact=True).fill("Editor of Ann")
        ann.page.get_by_role("button", name="Review and save").click()
        ann.page.get_by_role("button", name="Save the role").click()
        ann.sees("The role is saved.")
        for place in ("history", "audit"):
            ann.go(f"#/default/{place}")
            ann.page.get_by_role("cell", name="Ann Example").first.wait_for()
        sent = {"method": "POST", "headers": {"X-Writ-Session": "1"}, "body": '{"from": "default"}'}
        asked = ann.page.evaluate(
            "async sent => (await fetch('/v1/environments/target/promotions', sent)).json()",
            sent | {"headers": {"X-Writ-Session": "1", "Content-Type": "application/json"}},
        )
        with person(browser, server, "Ben") as ben:
            where = f"/v1/environments/target/promotions/{asked['id']}/approve"
            approve = (
                "async where => (await fetch(where, {method: 'POST', body: '{}', headers: {'X-Writ-Session': '1',"
                " 'Content-Type': 'application/json'}})).status"
            )
            assert ann.page.evaluate(approve, where) == 403, "one person alone"
            assert ben.page.evaluate(approve, where) == 200
            ben.go("#/target/promotion")
            ben.sees("Ann Example")
        second.get_by_role("button", name="Sign out").click()
        ann.page.get_by_role("heading", name="Sign in to Writ").wait_for()
        assert ann.page.evaluate("async () => (await fetch('/v1/caller')).status") == 401
        second.locator("#kc-logout").click()  # the provider asks, as it has no ID token as a hint
        second.get_by_role("button", name="Sign in with 127.0.0.1").click()
        second.locator("#password").wait_for()
        ann.complaints.clear()


def test_a_person_of_no_group_is_told_whom_to_ask(browser: Any, server: Server) -> None:
    with desk(browser, server) as cy:
        sign_in(cy, "Cy")
        cy.sees("None of your groups gives you access to Writ. To get access, ask the platform team.")
        assert not [one for one in cy.page.context.cookies() if one["name"].startswith("writ-session")]
        cy.complaints.clear()
