"""The history in the console: revisions, their changes, and the way back to one of them (issue 19, item 7)."""

from typing import Any

import pytest

from tests.support.console import HOSTILE_NAMES, Desk, as_seen, desk, expect
from tests.support.server import Server

pytestmark = pytest.mark.browser

_MODEL = {
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
    "assignments": [{"role": "analyst", "subject": {"type": "user", "id": "mia"}}],
}


def environment(desk: Desk, id: str, **more: Any) -> str:
    """A new environment with two revisions: the model, and the role of its policy changed. Returns its place."""
    with desk.client() as api:
        api.post("/v1/environments", json={"id": id} | more).raise_for_status()
        api.put(f"/v1/environments/{id}/model", json=_MODEL).raise_for_status()
        api.patch(f"/v1/environments/{id}/policies/publish", json={"roles": ["chief"]}).raise_for_status()
    return f"#/{id}/history"


def policy(desk: Desk, env: str) -> dict[str, Any]:
    with desk.client() as api:
        return dict(api.get(f"/v1/environments/{env}/policies/publish").json())


def test_a_revision_is_opened_and_tells_what_differs(signed_in: Desk) -> None:
    signed_in.go(environment(signed_in, "told"))
    rows = signed_in.page.locator("main tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("policies ~1")
    signed_in.page.get_by_role("link", name="2", exact=True).click()
    signed_in.page.get_by_role("heading", name="Revision 2").wait_for()
    difference = signed_in.page.get_by_role("group", name="Change")
    expect(difference.locator(".added .mono")).to_have_count(1)
    assert difference.locator(".removed .mono").all_inner_texts() == ["    allow analyst to publish report"]
    assert difference.locator(".added .mono").all_inner_texts() == ["    allow chief to publish report"]
    signed_in.page.get_by_role("link", name="Open it as it is now").click()
    signed_in.page.wait_for_url("**/#/told/policies/publish")


def test_a_large_revision_comes_in_pages(signed_in: Desk) -> None:
    signed_in.go("#/default/history/1")
    changes = signed_in.page.locator("ul.changes > li")
    expect(changes).to_have_count(50)
    expect(signed_in.page.get_by_role("group", name="Change")).to_have_count(0)
    changes.first.locator("summary").click()
    signed_in.page.get_by_role("group", name="Change").wait_for()
    first = changes.first.locator("summary").inner_text()
    signed_in.page.get_by_role("link", name="Next page").click()
    signed_in.page.get_by_role("link", name="First page").wait_for()
    expect(changes.first.locator("summary")).not_to_have_text(first)


def test_an_earlier_revision_is_restored_as_its_preview_showed(signed_in: Desk) -> None:
    signed_in.go(f"{environment(signed_in, 'back')}/1")
    signed_in.page.get_by_role("link", name="Go back to this revision…").click()
    signed_in.page.get_by_role("button", name="Restore revision 1").wait_for()
    expect(signed_in.page.locator(".added .mono")).to_have_text(["    allow analyst to publish report"])
    assert policy(signed_in, "back")["roles"] == ["chief"], "a preview changes nothing"
    signed_in.page.get_by_label("Note").fill("the analysts still publish")
    signed_in.page.get_by_role("button", name="Restore revision 1").click()
    signed_in.page.get_by_role("heading", name="Revision 3").wait_for()
    signed_in.sees("The policies of revision 1 are in force again")
    signed_in.sees("the analysts still publish")
    assert policy(signed_in, "back")["roles"] == ["analyst"]
    signed_in.page.get_by_role("button", name="Undo", exact=True).click()
    signed_in.sees("are in force again: undone.")
    signed_in.page.get_by_role("link", name="4", exact=True).wait_for()
    assert policy(signed_in, "back")["roles"] == ["chief"]


def test_a_preview_that_is_overtaken_changes_nothing(signed_in: Desk) -> None:
    """What was shown is what is carried out, or nothing."""
    signed_in.go(f"{environment(signed_in, 'late')}/1/restore")
    button = signed_in.page.get_by_role("button", name="Restore revision 1")
    button.wait_for()
    signed_in.page.route("**/restore", lambda route: _without_digest(route))
    button.click()
    signed_in.page.get_by_role("alert").wait_for()
    assert policy(signed_in, "late")["roles"] == ["chief"]


def _without_digest(route: Any) -> None:
    """Send another digest than the one that the preview has shown, as if the result had changed since."""
    route.continue_(post_data={**route.request.post_data_json, "expect_digest": "0" * 64})


def test_a_reader_gets_no_way_back(at_desk: Desk) -> None:
    place = environment(at_desk, "read-only")
    with at_desk.client() as api:
        key = api.post("/v1/api-keys", json={"name": "reader", "scopes": ["read"]}).json()["key"]
    at_desk.sign_in(key, f"{place}/1")
    at_desk.page.get_by_role("heading", name="Its elements").wait_for()
    at_desk.settle()
    expect(at_desk.page.get_by_role("link", name="Go back")).to_have_count(0)


def test_a_revision_that_is_not_there_is_told_in_the_words_of_the_service(signed_in: Desk) -> None:
    signed_in.go("#/default/history/999")
    signed_in.sees("There is no revision 999 in environment")


def test_hostile_names_are_text(signed_in: Desk) -> None:
    names = [name[:250] for name in HOSTILE_NAMES]
    with signed_in.client() as api:
        api.post("/v1/environments", json={"id": "odd"}).raise_for_status()
        model = {"model": 1, "roles": [{"id": name, "name": name} for name in names]}
        api.put("/v1/environments/odd/model", json=model).raise_for_status()
    signed_in.page.set_viewport_size({"width": 390, "height": 844})
    signed_in.go("#/odd/history/1")
    changes = signed_in.page.locator("ul.changes > li")
    expect(changes).to_have_count(len(names))
    for at in range(len(names)):
        changes.nth(at).locator("summary").click()
    signed_in.page.get_by_role("group", name="Change").nth(len(names) - 1).wait_for()
    signed_in.settle()
    shown = signed_in.page.locator("ul.changes summary code").evaluate_all(
        "found => found.map((one) => one.textContent)"
    )
    assert sorted(shown) == sorted(map(as_seen, names))
    assert signed_in.page.locator("main script, main img").count() == 0
    assert signed_in.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_pages_can_be_used_by_everybody(browser: Any, server: Server, dark: bool) -> None:
    with desk(browser, server, dark=dark, phone=dark) as found:
        place = environment(found, f"seen-{dark}".lower())
        found.sign_in(place=f"{place}/2")
        found.page.get_by_role("group", name="Change").wait_for()
        assert found.serious() == []
        found.go(f"{place}/1/restore")
        found.page.get_by_role("button", name="Restore revision 1").wait_for()
        assert found.serious() == []
        assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def named(desk: Desk, id: str) -> str:
    """An environment whose third revision names the policy. Returns its place."""
    place = environment(desk, id)
    with desk.client() as api:
        api.patch(f"/v1/environments/{id}/policies/publish", json={"name": "Publish reports"}).raise_for_status()
    return place


def test_a_change_is_undone_with_its_effect_shown_before(signed_in: Desk) -> None:
    signed_in.go(f"{environment(signed_in, 'undone')}/2")
    signed_in.page.get_by_role("button", name="Undo this change…").click()
    dialog = signed_in.page.get_by_role("dialog")
    dialog.get_by_text("+ gains").wait_for()
    expect(dialog).to_contain_text("mia")
    assert policy(signed_in, "undone")["roles"] == ["chief"], "a preview changes nothing"
    dialog.get_by_role("button", name="Undo the change").click()
    signed_in.sees("The change of revision 2 is undone, by revision 3")
    assert policy(signed_in, "undone")["roles"] == ["analyst"]
    signed_in.page.get_by_role("button", name="Undo", exact=True).click()
    signed_in.sees("is undone, by revision 3: undone.")
    assert policy(signed_in, "undone")["roles"] == ["chief"]


def test_a_conflict_offers_both_versions(signed_in: Desk) -> None:
    signed_in.go(f"{named(signed_in, 'contested')}/2")
    signed_in.page.get_by_role("button", name="Undo this revision…").click()
    dialog = signed_in.page.get_by_role("dialog")
    dialog.get_by_text("This was changed again since.").wait_for()
    expect(dialog).to_contain_text("revision 3")
    expect(dialog.locator(".removed .mono").first).to_have_text('policy publish "Publish reports"')
    expect(dialog.get_by_role("button", name="Undo the change")).to_have_count(0)
    dialog.get_by_role("button", name="Take what was before, and show its effect").click()
    dialog.get_by_role("button", name="Undo the change").click()
    signed_in.sees("The change of revision 2 is undone, by revision 4")
    assert policy(signed_in, "contested") == _MODEL["policies"][0]


def test_the_history_names_elements_and_is_filtered_by_address(signed_in: Desk) -> None:
    signed_in.go(named(signed_in, "found"))
    rows = signed_in.page.locator("main tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("Publish reports publish")
    named_one = rows.first.get_by_role("link", name="Publish reports")
    expect(named_one).to_have_attribute("href", "#/found/policies/publish")
    signed_in.page.get_by_label("Kind").select_option("roles")
    signed_in.page.get_by_role("button", name="Show", exact=True).click()
    signed_in.page.wait_for_url("**/#/found/history?kind=roles")
    expect(rows).to_have_count(1)
    signed_in.go("#/found/policies/publish")
    signed_in.page.get_by_role("link", name="History of this policy").click()
    signed_in.page.get_by_role("heading", name="History of policy publish").wait_for()
    past = signed_in.page.get_by_role("list", name="Changes, the newest first").locator("> li")
    expect(past).to_have_count(3)
    expect(past.first.get_by_role("link")).to_have_text("Revision 3")
    expect(past.first.locator(".added .mono")).to_have_text(['policy publish "Publish reports"'])
    assert signed_in.serious() == []
    signed_in.go("#/found/history?by=nobody")
    signed_in.sees("No revision fits the filter.")


def test_a_deletion_with_everything_is_undone_at_once(signed_in: Desk) -> None:
    environment(signed_in, "brought")
    signed_in.go("#/brought/roles/analyst")
    signed_in.page.get_by_role("button", name="Delete").click()
    dialog = signed_in.page.get_by_role("dialog")
    dialog.get_by_role("alert").wait_for()
    dialog.get_by_role("button", name="Cancel").click()
    signed_in.page.get_by_role("button", name="Delete it with these references").click()
    dialog.get_by_label("To confirm").fill("analyst")
    dialog.get_by_role("button", name="Delete the role").click()
    signed_in.sees("The role is deleted")
    signed_in.page.get_by_role("button", name="Undo", exact=True).click()
    signed_in.sees("The role is deleted: undone.")
    with signed_in.client() as api:
        (found,) = api.get("/v1/environments/brought/assignments").json()["items"]
    assert found["role"] == "analyst"
