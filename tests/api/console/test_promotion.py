"""Promotion in the console: preview, drift that is refused and then accepted, and approval by a second person."""

import csv
import io
from typing import Any

import pytest

from tests.support.console import Desk, desk, expect
from tests.support.server import KEY, Server

pytestmark = pytest.mark.browser


def model(role: str) -> dict[str, Any]:
    return {
        "model": 1,
        "resource_types": [{"id": "report", "actions": ["read", "publish"]}],
        "roles": [{"id": "analyst"}, {"id": "chief"}],
        "policies": [
            {
                "id": "publish",
                "effect": "ALLOW",
                "roles": [role],
                "resource_types": [{"resource_type_id": "report", "actions": ["publish"]}],
            }
        ],
    }


def ends(desk: Desk, name: str, **settings: Any) -> tuple[str, str]:
    """Two environments: the second has the policies of the first, whose policy has changed since."""
    source, target = f"{name}-staging", f"{name}-prod"
    with desk.client() as api:
        for id in (source, target):
            api.post("/v1/environments", json={"id": id}).raise_for_status()
        api.put(f"/v1/environments/{source}/model", json=model("analyst")).raise_for_status()
        api.post(f"/v1/environments/{target}/promotions", json={"from": source}).raise_for_status()
        api.post(
            f"/v1/environments/{target}/assignments", json={"role": "analyst", "subject": {"type": "user", "id": "mia"}}
        ).raise_for_status()
        api.put(f"/v1/environments/{source}/model", json=model("chief")).raise_for_status()
        if settings:
            api.patch(f"/v1/environments/{target}", json=settings).raise_for_status()
    return source, target


def roles(desk: Desk, env: str) -> list[str]:
    with desk.client() as api:
        return list(api.get(f"/v1/environments/{env}/policies/publish").json()["roles"])


def key(desk: Desk, name: str) -> str:
    with desk.client() as api:
        return str(api.post("/v1/api-keys", json={"name": name, "scopes": ["admin"]}).json()["key"])


def press(desk: Desk, name: str) -> None:
    desk.page.get_by_role("button", name=name, exact=True).click()


def test_a_promotion_is_previewed_and_carried_out(signed_in: Desk) -> None:
    source, target = ends(signed_in, "plain")
    signed_in.go(f"#/{target}/promotion")
    signed_in.sees("Nothing was edited since the promotion of")
    signed_in.page.get_by_label("From environment").fill(source)
    press(signed_in, "Show what would change")
    signed_in.page.get_by_role("button", name=f"Promote to {target}").wait_for()
    expect(signed_in.page.locator(".added .mono")).to_have_text(["    allow chief to publish report"])
    signed_in.page.locator(".people").get_by_text("− loses").wait_for()
    signed_in.page.locator(".people").get_by_role("link", name="mia").first.wait_for()
    assert roles(signed_in, target) == ["analyst"]
    signed_in.page.get_by_label("Note").fill("release 2")
    press(signed_in, f"Promote to {target}")
    signed_in.page.get_by_text("✓ done").wait_for()
    signed_in.sees("release 2")
    assert roles(signed_in, target) == ["chief"]
    signed_in.page.get_by_role("link", name="Promotion", exact=True).last.click()
    signed_in.page.locator("main tbody tr").nth(1).wait_for()
    with signed_in.page.expect_download() as download:
        press(signed_in, "Export as CSV")
    rows = list(csv.DictReader(io.StringIO(download.value.path().read_bytes().decode(), newline="")))
    with signed_in.client() as api:
        listed = api.get(f"/v1/environments/{target}/promotions").json()["items"]
    assert [(row["id"], row["from"], row["note"]) for row in rows] == [
        (one["id"], one["from"], one.get("note", "")) for one in listed
    ]


def test_drift_is_refused_and_then_accepted(signed_in: Desk) -> None:
    source, target = ends(signed_in, "drifted")
    with signed_in.client() as api:
        api.patch(f"/v1/environments/{target}/policies/publish", json={"priority": 9}).raise_for_status()
    signed_in.go(f"#/{target}/promotion")
    signed_in.sees("The next promotion is refused")
    signed_in.go(f"#/{target}/promotion?from={source}")
    press(signed_in, f"Promote to {target}")
    signed_in.page.get_by_role("alert").get_by_text("was edited in place since its last promotion").wait_for()
    assert roles(signed_in, target) == ["analyst"]
    signed_in.page.get_by_label("Overwrite these edits").check()
    press(signed_in, f"Promote to {target}")
    signed_in.page.get_by_text("✓ done").wait_for()
    signed_in.sees("Edits in place that it overwrites")
    assert roles(signed_in, target) == ["chief"]


def test_what_is_still_used_stands_in_the_way(signed_in: Desk) -> None:
    source, target = ends(signed_in, "used")
    with signed_in.client() as api:
        without = model("chief")
        without["roles"] = [{"id": "chief"}]
        api.put(f"/v1/environments/{source}/model", json=without).raise_for_status()
    signed_in.go(f"#/{target}/promotion?from={source}")
    signed_in.sees("These elements still use what it would remove.")
    press(signed_in, f"Promote to {target}")
    signed_in.page.locator("form").get_by_role("alert").wait_for()
    assert roles(signed_in, target) == ["analyst"]


def test_stored_tests_are_shown_to_asker_and_approver(browser: Any, server: Server) -> None:
    """Those that fail are named, on the preview and on the promotion that waits."""
    subject, resource = {"type": "user", "id": "mia"}, {"type": "report", "id": "r1"}
    asked = {"request": {"subject": subject, "action": {"name": "publish"}, "resource": resource}}
    expected = {"may": True, "may not": False}
    tests = [{"name": f"<b>mia</b> {may}", **asked, "expect": {"decision": is_so}} for may, is_so in expected.items()]
    failing = "gate: <b>mia</b> may"
    with desk(browser, server) as found:
        source, target = ends(found, "tested", approvals=1)
        with found.client() as api:
            api.post(f"/v1/environments/{target}/tests", json={"id": "gate", "tests": tests}).raise_for_status()
        approver = key(found, "approver")
        found.sign_in(key(found, "asker"), f"#/{target}/promotion?from={source}")
        found.page.get_by_role("heading", name="Stored tests").wait_for()
        section = found.page.locator("section").filter(has_text="Stored tests")
        expect(section.locator(".name")).to_have_text([failing])
        expect(section).to_contain_text("1 test would pass and 1 would fail (1 then denied).")
        assert found.serious() == []
        press(found, f"Promote to {target}")
        found.sees("Another credential must approve it.")
    with desk(browser, server) as found:
        found.sign_in(approver, f"#/{target}/promotion")
        found.page.get_by_role("link", name=source).first.click()
        found.page.get_by_role("heading", name="Stored tests").wait_for()
        section = found.page.locator("section").filter(has_text="Stored tests")
        expect(section.locator(".name")).to_have_text([failing])
        with found.client() as api:
            api.patch(f"/v1/environments/{target}", json={"tests_must_pass": True}).raise_for_status()
        press(found, "Approve")
        found.page.get_by_role("alert").get_by_text(failing).wait_for()
        assert roles(found, target) == ["analyst"]


def test_a_credential_in_the_same_hands_is_refused_in_the_words_of_the_service(browser: Any, server: Server) -> None:
    with desk(browser, server) as found:
        source, target = ends(found, "hands", approvals=1)
        asker = key(found, "asker")
        with found.client(asker) as api:
            api.post(f"/v1/environments/{target}/promotions", json={"from": source}).raise_for_status()
            other = api.post("/v1/api-keys", json={"name": "made by it", "scopes": ["admin"]}).json()["key"]
        found.sign_in(other, f"#/{target}/promotion")
        found.page.get_by_role("link", name=source).first.click()
        press(found, "Approve")
        found.page.get_by_role("alert").wait_for()
        assert roles(found, target) == ["analyst"]


def test_a_promotion_is_rejected_with_a_reason(signed_in: Desk) -> None:
    source, target = ends(signed_in, "rejected", approvals=1)
    with signed_in.client(key(signed_in, "asker")) as api:
        api.post(f"/v1/environments/{target}/promotions", json={"from": source}).raise_for_status()
    signed_in.go(f"#/{target}/promotion")
    signed_in.page.get_by_role("link", name=source).first.click()
    signed_in.page.get_by_label("Reason for a rejection").fill("not before the audit")
    press(signed_in, "Reject")
    signed_in.page.get_by_text("✕ rejected").wait_for()
    signed_in.sees("not before the audit")
    assert roles(signed_in, target) == ["analyst"]


def test_a_decision_that_somebody_else_took_is_told(at_desk: Desk) -> None:
    source, target = ends(at_desk, "late", approvals=1)
    with at_desk.client(key(at_desk, "asker")) as api:
        made = api.post(f"/v1/environments/{target}/promotions", json={"from": source}).json()
        at_desk.sign_in(key(at_desk, "approver"), f"#/{target}/promotion/{made['id']}")
        at_desk.page.get_by_role("button", name="Approve").wait_for()
        api.post(f"/v1/environments/{target}/promotions/{made['id']}/reject").raise_for_status()
    press(at_desk, "Approve")
    at_desk.sees("The promotion is rejected already.")


def test_an_unknown_environment_is_told(signed_in: Desk) -> None:
    signed_in.go("#/default/promotion?from=nowhere")
    signed_in.sees("There is no environment")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_pages_can_be_used_by_everybody(browser: Any, server: Server, dark: bool) -> None:
    with desk(browser, server, dark=dark, phone=dark) as found:
        source, target = ends(found, f"seen-{dark}".lower(), approvals=1)
        with found.client(key(found, "asker")) as api:
            made = api.post(f"/v1/environments/{target}/promotions", json={"from": source}).json()
        found.sign_in(KEY, f"#/{target}/promotion")
        found.page.get_by_role("heading", name="Waiting for an approval").wait_for()
        for place, text in ((f"/{made['id']}", "Reject"), (f"?from={source}", f"Promote to {target}")):
            assert found.serious() == []
            assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            found.go(f"#/{target}/promotion{place}")
            found.page.get_by_role("button", name=text).wait_for()
        assert found.serious() == []
        assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
