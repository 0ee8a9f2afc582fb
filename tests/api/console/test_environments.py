"""Environments in the console: made, protected, set up for a gateway, and deleted."""

from collections.abc import Iterator

import httpx
import pytest

from tests.support.console import HOSTILE_NAMES, Desk, desk, expect
from tests.support.server import Server

pytestmark = pytest.mark.browser


@pytest.fixture
def api(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


def press(at: Desk, name: str) -> None:
    at.page.get_by_role("button", name=name, exact=True).click()


def end(at: Desk, name: str, button: str) -> None:
    """Confirm what ends by its name."""
    at.page.get_by_label("To confirm, type").fill(name)
    at.page.get_by_role("dialog").get_by_role("button", name=button).click()


def test_an_environment_is_made_and_entered(api: httpx.Client, signed_in: Desk) -> None:
    signed_in.go("#/default/environments")
    signed_in.page.get_by_role("link", name="Create environment").click()
    signed_in.page.get_by_label("Id", exact=True).fill("shop")
    signed_in.page.get_by_label("Description").fill(HOSTILE_NAMES[0])
    signed_in.page.get_by_label("Approvals").check()
    signed_in.page.get_by_label("Tests must pass").check()
    assert signed_in.serious() == []
    press(signed_in, "Create environment")
    signed_in.sees("The environment is created.")
    made = api.get("/v1/environments/shop").json()
    settings = {
        name: made[name] for name in ("description", "protected", "promotion_only", "tests_must_pass", "approvals")
    }
    assert settings == {
        "description": HOSTILE_NAMES[0],
        "protected": False,
        "promotion_only": False,
        "tests_must_pass": True,
        "approvals": 1,
    }
    signed_in.page.locator("#environment option[value=shop]").wait_for(state="attached")
    assert signed_in.serious() == []
    signed_in.page.get_by_role("link", name="Go to this environment").click()
    signed_in.page.get_by_role("heading", name="Overview").wait_for()
    signed_in.sees_value("Environment", "shop")
    signed_in.go("#/shop/environments")
    expect(signed_in.page.get_by_role("row").filter(has_text="shop")).to_contain_text(HOSTILE_NAMES[0])


def test_an_id_that_does_not_do_is_told_at_its_field(signed_in: Desk) -> None:
    signed_in.go("#/default/environments?new=yes")
    signed_in.page.get_by_label("Id", exact=True).fill("two words")
    press(signed_in, "Create environment")
    signed_in.page.locator(".fault").get_by_text("An environment's id is 1 to 64 letters").wait_for()
    signed_in.page.get_by_label("Id", exact=True).fill("default")
    press(signed_in, "Create environment")
    signed_in.page.get_by_role("alert").get_by_text("There is an environment").wait_for()


def test_a_change_of_settings_sends_what_differs_and_is_undone(api: httpx.Client, signed_in: Desk) -> None:
    api.post("/v1/environments", json={"id": "changing", "description": "one"}).raise_for_status()
    signed_in.go("#/default/environments/changing")
    signed_in.page.get_by_label("Description").fill("two")
    api.patch("/v1/environments/changing", json={"protected": True}).raise_for_status()
    press(signed_in, "Save")
    signed_in.sees("The settings are saved.")
    signed_in.page.get_by_label("Approvals").check()
    changed = api.get("/v1/environments/changing").json()
    assert (changed["description"], changed["protected"]) == ("two", True)
    press(signed_in, "Undo")
    signed_in.sees("undone")
    signed_in.sees_value("Description", "one")
    assert api.get("/v1/environments/changing").json() == changed | {"description": "one"}
    expect(signed_in.page.get_by_label("Approvals"), "what is not saved stays").to_be_checked()


def test_tests_that_must_pass_are_switched_on_and_off(api: httpx.Client, signed_in: Desk) -> None:
    api.post("/v1/environments", json={"id": "tested"}).raise_for_status()
    for wanted in (True, False):
        signed_in.go("#/default/environments/tested")
        signed_in.page.get_by_label("Tests must pass").set_checked(wanted)
        press(signed_in, "Save")
        signed_in.sees("The settings are saved.")
        assert api.get("/v1/environments/tested").json()["tests_must_pass"] is wanted
        signed_in.go("#/default/environments")
        row = signed_in.page.get_by_role("row").filter(has_text="tested")
        row.get_by_text("yes", exact=True).first.wait_for(state="attached" if wanted else "detached")


def test_a_protected_environment_stays_until_it_is_not(api: httpx.Client, signed_in: Desk) -> None:
    api.post("/v1/environments", json={"id": "kept", "protected": True}).raise_for_status()
    signed_in.go("#/kept/environments/kept")
    signed_in.page.get_by_role("button", name="Delete environment").click()
    end(signed_in, "kept", "Delete environment")
    signed_in.page.get_by_role("dialog").get_by_text("is protected and can't be deleted").wait_for()
    press(signed_in, "Cancel")
    signed_in.page.get_by_label("Protected", exact=True).uncheck()
    press(signed_in, "Save")
    signed_in.sees("The settings are saved.")
    signed_in.page.get_by_role("button", name="Delete environment").click()
    end(signed_in, "kept", "Delete environment")
    signed_in.sees("The environment kept is deleted.")
    assert api.get("/v1/environments/kept").status_code == 404
    signed_in.sees_value("Environment", "default")


def test_the_default_environment_stays_protected(signed_in: Desk) -> None:
    signed_in.go("#/default/environments/default")
    signed_in.page.get_by_label("Protected", exact=True).uncheck()
    press(signed_in, "Save")
    signed_in.page.get_by_role("alert").get_by_text("stays protected").wait_for()


def test_only_the_administrator_s_key_loosens_promotion(browser: object, server: Server, api: httpx.Client) -> None:
    api.post("/v1/environments", json={"id": "strict", "promotion_only": True}).raise_for_status()
    key = api.post("/v1/api-keys", json={"name": "admin", "scopes": ["admin"]}).json()["key"]
    with desk(browser, server) as found:
        found.sign_in(key, "#/default/environments/strict")
        found.page.get_by_label("Promotion only").uncheck()
        press(found, "Save")
        found.page.get_by_role("alert").get_by_text("Only the administrator's key can").wait_for()
        assert api.get("/v1/environments/strict").json()["promotion_only"] is True
        press(found, "Cancel")
        expect(found.page.get_by_label("Promotion only")).to_be_checked()


def test_a_bound_credential_is_not_offered_a_new_environment(
    browser: object, server: Server, api: httpx.Client
) -> None:
    body = {"name": "bound", "scopes": ["admin"], "environments": ["default"]}
    key = api.post("/v1/api-keys", json=body).json()["key"]
    with desk(browser, server) as found:
        found.sign_in(key, "#/default/environments")
        found.sees("so it can't create one")
        found.page.get_by_role("link", name="default", exact=True).wait_for()
        found.settle()
        expect(found.page.get_by_role("link", name="Create environment")).to_have_count(0)


def test_gateway_settings_are_checked_saved_undone_and_deleted(api: httpx.Client, signed_in: Desk) -> None:
    api.post("/v1/environments", json={"id": "gated"}).raise_for_status()
    where = "/v1/environments/gated/gateway"
    signed_in.go("#/default/environments/gated")
    press(signed_in, "Add gateway settings")
    text = signed_in.page.get_by_label("Settings, as JSON")
    text.fill('{"subject": {"header": "X User"}, "trusted_proxies": ["nowhere"]}')
    press(signed_in, "Save gateway settings")
    alert = signed_in.page.get_by_role("alert")
    alert.get_by_text("$.subject.header").wait_for()
    alert.get_by_text("$.trusted_proxies[0]").wait_for()
    text.fill('{"subject": ')
    press(signed_in, "Save gateway settings")
    alert.get_by_text("not valid JSON").first.wait_for()
    assert api.get(where).status_code == 404
    settings = {"subject": {"header": "X-User"}, "trusted_proxies": ["10.0.0.1"]}
    text.fill('{"subject": {"header": "X-User"}, "trusted_proxies": ["10.0.0.1"]}')
    press(signed_in, "Save gateway settings")
    signed_in.sees("The gateway settings are saved.")
    assert api.get(where).json() == settings
    press(signed_in, "Delete…")
    end(signed_in, "gated", "Delete gateway settings")
    signed_in.sees("The gateway settings are deleted.")
    assert api.get(where).status_code == 404
    press(signed_in, "Undo")
    signed_in.sees("undone")
    text.wait_for()
    assert api.get(where).json() == settings


def test_gateway_settings_wait_for_an_approval(api: httpx.Client, signed_in: Desk) -> None:
    api.post("/v1/environments", json={"id": "approved", "approvals": 1}).raise_for_status()
    signed_in.go("#/default/environments/approved")
    signed_in.page.get_by_text("What approvals do not cover").click()
    signed_in.sees("assignments and grants")
    press(signed_in, "Add gateway settings")
    press(signed_in, "Save gateway settings")
    signed_in.sees("The change of the gateway settings waits for an approval")
    assert api.get("/v1/environments/approved/gateway").status_code == 404
    (waiting,) = api.get("/v1/environments/approved/promotions?pending=true").json()["items"]
    signed_in.go(f"#/approved/promotion/{waiting['id']}")
    signed_in.sees("Gateway settings of approved")
    signed_in.sees("X-Writ-Subject")
    signed_in.sees("no gateway settings")


def test_a_change_that_goes_round_approvals_says_so(api: httpx.Client, signed_in: Desk) -> None:
    api.post("/v1/environments", json={"id": "rounded", "approvals": 1}).raise_for_status()
    api.post("/v1/environments/rounded/roles", json={"id": "editor", "name": "Editor"}).raise_for_status()
    for env, times in [("rounded", 1), ("default", 0)]:
        signed_in.go(f"#/{env}/roles/editor")
        signed_in.page.get_by_label("Name", exact=True).fill("Writer")
        press(signed_in, "Review and save")
        signed_in.sees("What differs, as JSON")
        expect(signed_in.page.get_by_role("dialog").get_by_text("goes round the approvals")).to_have_count(times)
        press(signed_in, "Go on editing")
        signed_in.page.get_by_label("Name", exact=True).fill("Editor")
    signed_in.go("#/rounded/history/1")
    signed_in.sees("! without approval")
    press(signed_in, "Undo this revision…")
    signed_in.sees("goes round the approvals")
    press(signed_in, "Close")
    signed_in.go("#/rounded/history")
    signed_in.sees("! without approval")


def test_an_environment_that_is_not_there_is_told(signed_in: Desk) -> None:
    signed_in.go("#/default/environments/nowhere")
    signed_in.page.get_by_role("alert").get_by_text("There is no environment").first.wait_for()
