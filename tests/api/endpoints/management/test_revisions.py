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


def found(service: Managed, query: str) -> list[int]:
    answer = service.simulate_get(f"{ALL}?{query}")
    assert answer.status_code == 200, answer.text
    return [one["revision"] for one in answer.json["items"]]


def test_revisions_are_found_by_kind_and_by_element(full: Managed) -> None:
    order = list(MEMBERS)
    assert found(full, "kind=policies") == [order.index("policies") + 1]
    full.simulate_patch(f"{ROOT}/policies/p7", json={"priority": 5})
    full.simulate_delete(f"{ROOT}/subjects/user/alice?cascade=true")
    assert found(full, "kind=policies&id=p7") == [10, order.index("policies") + 1]
    assert found(full, "kind=subjects&type=user&id=alice") == [11, order.index("subjects") + 1]
    assert found(full, "kind=groups&id=eng") == [11, order.index("groups") + 1]
    assert found(full, "kind=gateway") == found(full, "kind=policies&id=p") == []
    entry = full.simulate_get(f"{ALL}?kind=policies&id=p7&limit=1").json["items"][0]["entry"]
    assert (entry["before"], entry["after"]["priority"]) == (MEMBERS["policies"], 5)


def test_revisions_are_found_by_person_and_time(full: Managed) -> None:
    assert found(full, "by=admin-key&limit=2") == [9, 8]
    assert found(full, "by=somebody") == []
    times = {one["revision"]: one["time"] for one in full.simulate_get(ALL).json["items"]}
    at = [number for number, time in times.items() if time == times[5]]
    assert set(at) <= set(found(full, f"since={times[5]}"))
    assert not set(at) & set(found(full, f"until={times[5]}"))
    assert found(full, "since=1970-01-01T01:00:00%2B01:00") == sorted(times, reverse=True)
    assert found(full, "until=1970-01-01T00:00:00.5Z") == []


def test_a_list_names_the_elements_if_it_is_asked_to(full: Managed) -> None:
    listed = full.simulate_get(f"{ALL}?elements=1").json["items"]
    named = {one["elements"][0]["kind"]: one["elements"][0] for one in listed}
    assert named["roles"] == {"kind": "roles", "id": "editor", "change": "added", "name": "Editor"}
    assert named["subjects"]["type"] == "user"
    assert named["grants"]["text"] == "grant read on document d1 to user alice as g1"
    assert "elements" not in full.simulate_get(ALL).json["items"][0]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("kind=tests", "there is no kind `tests`"),
        ("id=p7", "to find an element, give `kind`, and the members of its key"),
        ("kind=subjects&id=alice", "to find an element, give `type` and `id`"),
        ("kind=roles&type=user&id=alice", "to find an element, give `id`"),
        ("since=yesterday", "`since`: "),
        ("elements=21", "`elements` is a whole number from 0 to 20"),
    ],
)
def test_a_filter_that_does_not_fit_is_refused(full: Managed, query: str, message: str) -> None:
    answer = full.simulate_get(f"{ALL}?{query}")
    assert answer.status_code == 400
    assert answer.json["error"].startswith(message)


def test_a_search_for_an_element_goes_on_behind_its_limit(full: Managed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("writ.api.store.history.element_past.MOST_CHUNKS", 1)
    for number in range(3):
        full.create("roles", {"id": f"r{number}"})
    pages, cursor = [], ""
    while cursor is not None:
        answer = full.simulate_get(f"{ALL}?kind=roles&id=editor{cursor and f'&cursor={cursor}'}").json
        pages.append([one["revision"] for one in answer["items"]])
        cursor = answer["next_cursor"]
    assert [one for page in pages for one in page] == [2]
    assert pages[0] == []
