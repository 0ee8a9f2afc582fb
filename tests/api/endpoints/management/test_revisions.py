"""History: every revision, who made it, and the exact difference."""

import pytest

from tests.support.managed import MEMBERS, ROOT, Managed

ALL = f"{ROOT}/revisions"


def test_revisions_are_listed_newest_first_in_pages(full: Managed) -> None:
    first = full.simulate_get(f"{ALL}?limit=5").json
    second = full.simulate_get(f"{ALL}?limit=5&cursor={first['next_cursor']}").json
    listed = first["items"] + second["items"]
    assert [one["revision"] for one in listed] == list(range(len(MEMBERS), 0, -1))
    assert {one["by"] for one in listed} == {"admin-key"}
    assert listed[0]["changes"] == {"routes": {"added": 1, "changed": 0, "removed": 0}}
    assert second["next_cursor"] is None


def test_a_revision_tells_the_exact_difference(full: Managed) -> None:
    full.simulate_patch(f"{ROOT}/policies/p7", json={"priority": 5})
    full.simulate_delete(f"{ROOT}/subjects/user/alice?cascade=true")
    patched = full.simulate_get(f"{ALL}/10").json
    assert patched["entries"] == [
        {
            "kind": "policies",
            "id": "p7",
            "change": "changed",
            "before": MEMBERS["policies"],
            "after": MEMBERS["policies"] | {"priority": 5},
            "text": ["  policy p7", "+     priority 5", "      allow editor to update document"],
        }
    ]
    deleted = {(one["kind"], one["id"]): one for one in full.simulate_get(f"{ALL}/11").json["entries"]}
    assert deleted["subjects", "alice"] == {
        "kind": "subjects",
        "id": "alice",
        "change": "removed",
        "before": MEMBERS["subjects"],
        "after": None,
        "type": "user",
        "text": [*deleted["subjects", "alice"]["text"]],
    }
    assert deleted["subjects", "alice"]["text"][0] == "- subject user alice"
    assert deleted["groups", "eng"]["after"] == {"id": "eng", "members": []}
    assert deleted["grants", "g1"]["change"] == "removed"
    assert patched == full.simulate_get(f"{ALL}/10").json, "history does not change"


def test_a_large_revision_is_told_whole(service: Managed) -> None:
    items = [{"id": f"r{number:04}"} for number in range(1_000)]
    service.simulate_post(f"{ROOT}/roles:batch", json={"items": items})
    entries = service.simulate_get(f"{ALL}/1").json["entries"]
    assert [one["after"] for one in entries] == items


@pytest.mark.parametrize("limit", [1, 7, 999, 1_000])
def test_the_changes_of_a_large_revision_come_in_pages_too(service: Managed, limit: int) -> None:
    count = 2_000 if limit == 1_000 else min(limit * 3 + 1, 1_500)
    document = {"model": 1, "roles": [{"id": f"r{number:04}"} for number in range(count)]}
    assert service.simulate_put(f"{ROOT}/model", json=document).status_code == 200
    whole = service.simulate_get(f"{ALL}/1").json
    assert "next_cursor" not in whole
    query, entries, pages = f"limit={limit}", [], 0
    while query:
        page = service.simulate_get(f"{ALL}/1?{query}").json
        assert {name: page[name] for name in ("revision", "by", "time", "changes", "promotion")} == {
            name: value for name, value in whole.items() if name != "entries"
        }
        assert len(page["entries"]) == min(limit, count - len(entries))
        entries += page["entries"]
        query, pages = page["next_cursor"] and f"limit={limit}&cursor={page['next_cursor']}", pages + 1
    assert entries == whole["entries"]
    assert pages == -(-count // limit)


def test_a_cursor_of_another_revision_is_refused(full: Managed) -> None:
    service_lists = [{"id": f"q{number}"} for number in range(3)]
    full.simulate_post(f"{ROOT}/roles:batch", json={"items": service_lists})
    cursor = full.simulate_get(f"{ALL}/10?limit=1").json["next_cursor"]
    for query in (f"cursor={cursor}", "cursor=x", "limit=0", "limit=1001"):
        assert full.simulate_get(f"{ALL}/9?{query}").status_code == 400, query
    assert full.simulate_get(f"{ALL}/10?cursor={cursor}").json["next_cursor"] is None


def test_a_revision_is_never_sent_twice(full: Managed) -> None:
    tag = full.simulate_get(f"{ALL}/1").headers["ETag"]
    assert full.simulate_get(f"{ALL}/1", headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize(
    ("number", "told"),
    [
        ("10", "10 in environment `default`"),
        ("-1", "`-1`; give its number"),
        ("1.0", "`1.0`; give its number"),
        ("9" * 30, f"`{'9' * 30}`; give its number"),
        ("\N{ARABIC-INDIC DIGIT ONE}", "`\N{ARABIC-INDIC DIGIT ONE}`; give its number"),
    ],
)
def test_another_revision_is_404(full: Managed, number: str, told: str) -> None:
    for answer in (full.simulate_get(f"{ALL}/{number}"), full.simulate_get(f"{ROOT}/model?revision={number}")):
        assert (answer.status_code, answer.json) == (404, {"error": f"there is no revision {told}"})


def test_revision_0_made_no_difference_and_left_an_empty_model(full: Managed) -> None:
    assert full.simulate_get(f"{ALL}/0").status_code == 404
    assert full.simulate_get(f"{ROOT}/model?revision=0").json == {"model": 1}
