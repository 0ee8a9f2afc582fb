"""The tasks of those who run the service: a promotion that a second person approves, and a key."""

from typing import Any, Final

import httpx

from tests.api.console.reports import ANN, ENV, MODEL
from tests.support.console import expect
from tests.support.hand import Hand

STAGING: Final = "tasks-staging"
PRODUCTION: Final = "tasks-production"


def _ends(api: httpx.Client) -> list[str]:
    """Two environments that were the same, and the keys of two people. The first has changed since."""
    for env in (STAGING, PRODUCTION):
        api.post("/v1/environments", json={"id": env})
    api.put(f"/v1/environments/{STAGING}/model", json=MODEL).raise_for_status()
    whole = {"from": STAGING, "accept_drift": True}
    api.patch(f"/v1/environments/{PRODUCTION}", json={"approvals": 0}).raise_for_status()
    api.post(f"/v1/environments/{PRODUCTION}/promotions", json=whole).raise_for_status()
    api.patch(f"/v1/environments/{STAGING}/policies/readers", json={"roles": ["chief"]}).raise_for_status()
    api.post(f"/v1/environments/{PRODUCTION}/assignments", json={"role": "reader", "subject": ANN}).raise_for_status()
    api.patch(f"/v1/environments/{PRODUCTION}", json={"approvals": 1}).raise_for_status()
    wanted = [{"name": name, "scopes": ["admin"]} for name in ("first", "second")]
    return [str(api.post("/v1/api-keys", json=one).json()["key"]) for one in wanted]


def promote(hand: Hand) -> None:
    """Compare staging with production, promote it, and approve that as a second person."""
    change = ["    allow chief to read report"]
    with hand.desk.client() as api:
        first, second = _ends(api)
        with hand.another(first, f"#/{PRODUCTION}/overview") as asker:
            asker.open("Promotion")
            asker.write("From environment", STAGING)
            asker.press("Enter")
            expect(asker.page.locator(".added .mono")).to_have_text(change)
            asker.click(f"Promote to {PRODUCTION}")
            expect(asker.page.get_by_text("Another credential must approve it.")).to_be_visible()
            asker.desk.settle()
            expect(asker.page.get_by_role("button", name="Approve")).to_have_count(0)
        assert _readers(api) == ["reader"]
        with hand.another(second, f"#/{PRODUCTION}/promotion") as approver:
            approver.page.get_by_role("link", name=STAGING).first.click()
            expect(approver.page.locator(".added .mono")).to_have_text(change)
            expect(approver.page.locator(".people")).to_contain_text("− loses")
            approver.click("Approve")
            expect(approver.page.get_by_text("✓ done")).to_be_visible()
            expect(approver.page.get_by_text("Approved by")).to_be_visible()
        assert _readers(api) == ["chief"]


def _readers(api: httpx.Client) -> Any:
    return api.get(f"/v1/environments/{PRODUCTION}/policies/readers").json()["roles"]


def key(hand: Hand) -> None:
    """Make a key for decisions, rotate it, and end the old one."""
    hand.open("Clients and keys")
    hand.click("Create API key", "link")
    expect(hand.page.get_by_label("decide")).to_be_checked()
    hand.write("Name", "gateway")
    hand.press("Enter")
    old = _secret(hand)
    hand.click("Make a new key…")
    expect(hand.page.get_by_label("For a day")).to_be_checked()
    hand.click("Make a new key")
    hand.page.get_by_role("heading", name="A new key", exact=True).wait_for()
    new = _secret(hand)
    assert (_decides(hand, old), _decides(hand, new)) == (True, True)
    hand.click("End the old secrets")
    expect(hand.page.get_by_text("works until")).to_have_count(0)
    assert (_decides(hand, old), _decides(hand, new)) == (False, True)


def _secret(hand: Hand) -> str:
    """The secret of the open dialog, which is closed then."""
    found = str(hand.page.get_by_role("dialog").locator(".secret code").last.inner_text())
    hand.click("Close")
    hand.click("Yes, it is stored")
    expect(hand.page.get_by_role("dialog")).to_have_count(0)
    return found


def _decides(hand: Hand, key: str) -> bool:
    """Returns whether a decision may be asked with the key."""
    with hand.desk.client(key) as api:
        return api.post(f"/environments/{ENV}/access/v1/evaluation", json={}).status_code == 400
