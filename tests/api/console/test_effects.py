"""The effects of changes in the console: people before anything is saved or restored, and grants as sentences."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.support.console import HOSTILE_NAMES, Desk, as_seen, expect
from tests.support.server import Server, running
from tests.support.waiting import wait_until

pytestmark = pytest.mark.browser

MADE_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MIA = {"type": "user", "id": "mia"}
REPORT = {"type": "report", "id": "r1"}
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "report", "actions": ["read", "publish"]}],
    "roles": [{"id": "analyst"}, {"id": "chief"}],
    "policies": [
        {
            "id": "publish",
            "effect": "ALLOW",
            "roles": ["analyst"],
            "resource_types": [{"resource_type_id": "report", "actions": ["publish"]}],
        }
    ],
    "assignments": [{"role": "analyst", "subject": MIA}],
}
ODD_NAMES = ("a`b", "everyone else", *(name[:250] for name in HOSTILE_NAMES))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with a decision log in a file, so that previews have recent decisions."""
    folder = tmp_path_factory.mktemp("effects")
    with running(folder / "data", "--decision-log", str(folder / "decisions.jsonl")) as found:
        yield found


def environment(desk: Desk, id: str, model: dict[str, Any]) -> None:
    with desk.client() as api:
        api.post("/v1/environments", json={"id": id}).raise_for_status()
        api.put(f"/v1/environments/{id}/model", json=model).raise_for_status()


def patch(desk: Desk, path: str, **members: Any) -> None:
    with desk.client() as api:
        api.patch(f"/v1/environments/{path}", json=members).raise_for_status()


def test_a_save_dialog_shows_who_gains_and_who_loses(signed_in: Desk) -> None:
    environment(signed_in, "saved", MODEL)
    signed_in.go("#/saved/policies/publish?edit=yes")
    signed_in.page.get_by_label("For", exact=True).select_option("everyone")
    part = "allow everyone"
    signed_in.page.wait_for_function("part => document.getElementById('writ-text')?.value.includes(part)", arg=part)
    signed_in.page.get_by_role("button", name="Review and save").click()
    people = signed_in.page.get_by_role("dialog").locator(".people")
    people.get_by_text("+ gains").first.wait_for()
    expect(people).to_contain_text("publish on report")
    expect(people).to_contain_text("Everyone")
    assert signed_in.serious() == []
    expect(people.locator("h4", has_text="loses")).to_have_count(0)
    with signed_in.client() as api:
        assert api.get("/v1/environments/saved/policies/publish").json()["roles"] == ["analyst"], "nothing is saved"


def test_a_restoration_shows_people_before_it_is_made(signed_in: Desk) -> None:
    environment(signed_in, "back", MODEL)
    patch(signed_in, "back/policies/publish", roles=["chief"])
    signed_in.go("#/back/history/1/restore")
    signed_in.page.get_by_role("button", name="Restore revision 1").wait_for()
    people = signed_in.page.locator(".people")
    people.get_by_text("+ gains").wait_for()
    total = people.locator("summary", has_text="1 subject gains something")
    total.focus()
    signed_in.page.keyboard.press("Enter")
    expect(people.locator("details.total").get_by_role("link", name="mia")).to_be_visible()
    expect(people).to_contain_text("By the role analyst")
    with signed_in.client() as api:
        assert api.get("/v1/environments/back/policies/publish").json()["roles"] == ["chief"], "nothing is restored"


def test_each_number_of_people_opens_their_list(signed_in: Desk) -> None:
    """The answer names some of 30 who lose. Those listed and those left out sum up to the number."""
    many = [{"role": "analyst", "subject": {"type": "user", "id": f"person-{n:02}"}} for n in range(30)]
    environment(signed_in, "many", MODEL | {"assignments": many})
    signed_in.go("#/many/policies/publish")
    signed_in.page.get_by_role("button", name="Delete", exact=True).click()
    people = signed_in.page.get_by_role("dialog").locator(".people")
    expect(people.locator("details.total summary")).to_have_text(re.compile(r"30 subjects\s+lose something"))
    people.locator("details.total summary").click()
    listed = people.locator("details.total p")
    expect(listed).to_be_visible()
    told = listed.inner_text()
    left = re.search(r"(\d+) more", told)
    assert told.count("person-") + int(left[1] if left else 0) == 30
    region = people.locator(".region details")
    expect(region.locator("summary")).to_have_text("and 20 more")
    region.locator("summary").click()
    expect(region.locator("p")).to_be_visible()
    assert signed_in.serious() == []


def test_a_grant_behind_recent_decisions_is_a_sentence(signed_in: Desk) -> None:
    environment(signed_in, "granted", MODEL | {"policies": []})
    sentence = "grant read on report r1 to user mia"
    with signed_in.client() as api:
        made = api.post(
            "/v1/environments/granted/grants", json={"subject": MIA, "resource": REPORT, "actions": ["read"]}
        )
        asked = {"subject": MIA, "action": {"name": "read"}, "resource": REPORT}
        assert api.post("/environments/granted/access/v1/evaluation", json=asked).json()["decision"] is True
        gone = {"changes": [{"kind": "grants", "id": made.json()["id"], "element": None}]}
        preview = "/v1/environments/granted/changes:preview"
        assert wait_until(lambda: bool(api.post(preview, json=gone).json()["decisions"]["groups"]))
    signed_in.go(f"#/granted/grants/{made.json()['id']}")
    signed_in.page.get_by_role("button", name="Delete", exact=True).click()
    dialog = signed_in.page.get_by_role("dialog")
    dialog.get_by_text("then denied").first.wait_for()
    group = dialog.locator("li").filter(has_text="then denied").first
    expect(group).to_contain_text(f"ALLOWED by {sentence} now")
    signed_in.settle()
    assert not MADE_ID.search(dialog.inner_text())


def odd_model() -> dict[str, Any]:
    """A model in which everything has a hostile name."""
    everyone = [{"type": name, "id": name} for name in ODD_NAMES]
    return {
        "model": 1,
        "resource_types": [{"id": name, "actions": [name]} for name in ODD_NAMES],
        "roles": [{"id": name} for name in ODD_NAMES],
        "assignments": [{"role": one["id"], "subject": one} for one in everyone],
        "policies": [
            {
                "id": name,
                "effect": "ALLOW",
                "roles": [name],
                "resource_types": [{"resource_type_id": name, "actions": [name]}],
                "conditions": {"resource_attrs": [{"key": name, "op": "eq", "value": name}]},
            }
            for name in ODD_NAMES
        ],
    }


def test_hostile_names_are_text_among_people(signed_in: Desk) -> None:
    environment(signed_in, "odd", odd_model())
    with signed_in.client() as api:
        api.put("/v1/environments/odd/model", json=odd_model() | {"policies": []}).raise_for_status()
    signed_in.page.set_viewport_size({"width": 390, "height": 844})
    signed_in.go("#/odd/history/1/restore")
    people = signed_in.page.locator(".people")
    people.get_by_text("+ gains").nth(len(ODD_NAMES) - 1).wait_for()
    signed_in.settle()
    shown = people.locator("code, a").evaluate_all("found => found.map((one) => one.textContent)")
    assert set(map(as_seen, ODD_NAMES)) <= set(shown)
    assert people.locator("code", has_text="everyone else").count() > 1
    expect(signed_in.page.locator("main script, main img")).to_have_count(0)
    assert signed_in.page.title().endswith("odd · Writ")
    assert signed_in.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("name", ODD_NAMES, ids=range(len(ODD_NAMES)))
def test_hostile_names_are_text_in_what_would_allow(name: str, signed_in: Desk) -> None:
    with signed_in.client() as api:
        if api.get("/v1/environments/why").status_code == 404:
            environment(signed_in, "why", odd_model())
    asked = {"subject": {"type": "user", "id": "zed"}, "action": {"name": name}, "resource": {"type": name, "id": name}}
    signed_in.go("#/why/try?" + urlencode({"q": json.dumps(asked)}))
    told = signed_in.page.locator(".todo")
    told.get_by_text("gives the subject the role").first.wait_for()
    signed_in.settle()
    assert as_seen(name) in told.locator("a.name").evaluate_all("found => found.map((one) => one.textContent)")
    expect(signed_in.page.locator("main script, main img")).to_have_count(0)
    assert signed_in.page.title().endswith("why · Writ")
