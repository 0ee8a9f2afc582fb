"""Subjects that only a group, an assignment or a grant names are listed, sought and counted with the others (E3)."""

import random
from typing import Any

import pytest
from writ.api.store.errors import BadQuery
from writ.api.store.finding import named_subjects
from writ.api.store.store import Store

from tests.support.stored import ENV, put

Row = dict[str, Any]
TYPES = ("device", "user")


def model(seed: int) -> Row:
    """Many subjects with odd ids, each listed or named somewhere, or both."""
    random_ = random.Random(seed)
    ids = [f"{random_.choice('aAbé~ßz')}{number}" for number in range(40)]
    any_ = lambda: {"type": random_.choice(TYPES), "id": random_.choice(ids)}  # noqa: E731
    unique = lambda some: list({(one["type"], one["id"]): one for one in some}.values())  # noqa: E731
    return {
        "resource_types": [{"id": "doc", "actions": ["read"]}],
        "roles": [{"id": "r"}],
        "subjects": unique([any_() for _ in range(20)]),
        "groups": [{"id": "g", "members": unique([any_() for _ in range(15)])}],
        "assignments": [
            {"id": f"a{n}", "role": "r", "subject": one} for n, one in enumerate(unique([any_() for _ in range(15)]))
        ],
        "grants": [
            {"id": f"g{n}", "subject": one, "resource": {"type": "doc", "id": "d"}, "actions": ["read"]}
            for n, one in enumerate(unique([any_() for _ in range(15)]))
        ],
    }


def expected(document: Row, part: str = "", type: str | None = None) -> list[tuple[str, str, bool]]:
    listed = {(one["type"], one["id"]) for one in document["subjects"]}
    held = [one["subject"] for kind in ("assignments", "grants") for one in document[kind]]
    named = {(one["type"], one["id"]) for one in [*document["groups"][0]["members"], *held]}
    found = sorted(listed | named)
    return [(*key, key in listed) for key in found if part in key[1].casefold() and type in (None, key[0])]


def paged(store: Store, part: str, filters: dict[str, str], limit: int) -> list[tuple[str, str, bool]]:
    found, cursor = [], None
    while True:
        page = store.finder.page(ENV, "subjects", part, {"named": "true", **filters}, limit, cursor)
        assert len(page.items) <= limit
        found += [(one.body["type"], one.body["id"], one.body.get("listed", True)) for one in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("seed", range(4))
def test_each_registered_subject_is_on_one_page(store: Store, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, document := model(seed))
    for limit in (1, 3, 1_000):
        assert paged(store, "", {}, limit) == expected(document)
        assert paged(store, "a", {}, limit) == expected(document, "a")
        assert paged(store, "", {"type": "user"}, limit) == expected(document, type="user")
    monkeypatch.setattr(named_subjects, "MOST_NAMES", 2)
    monkeypatch.setattr(named_subjects, "_AT_ONCE", 2)
    assert paged(store, "a", {"type": "user"}, 5) == expected(document, "a", "user")
    for part in ("", "a"):
        count = store.finder.total(ENV, "subjects", part, {"named": "true"})
        assert (count.found, count.more) == (len(expected(document, part)), False)


def test_without_named_the_list_is_that_of_the_model(store: Store) -> None:
    put(store, document := model(1))
    for filters in ({}, {"named": "false"}):
        items = store.finder.page(ENV, "subjects", "", filters).items
        assert [(one.body["type"], one.body["id"]) for one in items] == [
            one[:2] for one in expected(document) if one[2]
        ]
        assert all("listed" not in one.body for one in items)


def test_a_search_of_all_lists_finds_them(store: Store) -> None:
    put(store, {"groups": [{"id": "g", "members": [{"type": "user", "id": "dora"}]}]})
    (found,) = store.finder.overview(ENV, "dor", 5)
    assert [one.body for one in found.items] == [{"type": "user", "id": "dora", "listed": False}]


@pytest.mark.parametrize("filters", [{"named": "yes"}, {"named": "true", "role": "r"}])
def test_a_wrong_filter_is_refused(store: Store, filters: dict[str, str]) -> None:
    put(store, model(1))
    with pytest.raises(BadQuery):
        store.finder.page(ENV, "subjects", "", filters)
    with pytest.raises(BadQuery):
        store.finder.page(ENV, "roles", "", {"named": "true"})
    with pytest.raises(BadQuery):
        store.finder.page(ENV, "subjects", "", {"named": "true"}, sort="-name")
