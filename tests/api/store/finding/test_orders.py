"""Orders of lists: each engine, each order and each page size give the order of a short meaning, from an index."""

from typing import Any

import pytest
from writ.api.store.elements.edits import Create, Delete, Patch
from writ.api.store.elements.kinds import kind_named
from writ.api.store.environments import environment_within
from writ.api.store.errors import BadQuery
from writ.api.store.finding.listing import list_page
from writ.api.store.finding.orders import SORTS, sorts_of
from writ.api.store.store import Store

from tests.api.store.finding.test_finding import hostile_model
from tests.support.stored import ENV, put, stored, write

ALL = [(str(kind), sort) for kind in SORTS for sort in sorts_of(kind)]
ENDS = (None, "2030-01-01T00:00:00Z", "2031-01-01T00:00:00.5Z", "2030-01-01T01:00:00+01:00")
TAME: dict[str, Any] = {
    "resource_types": [{"id": "d", "actions": ["read"]}, {"id": "e", "actions": ["read"]}],
    "roles": [{"id": "a"}, {"id": "b"}],
    "groups": [{"id": "a"}, {"id": "b"}],
    "subjects": [{"type": "user", "id": "a"}, {"type": "user", "id": "b"}],
    "resources": [{"type": "d", "id": "a"}, {"type": "d", "id": "b"}],
    "assignments": [{"id": id, "role": "a", "group": id, "expires_at": ENDS[1]} for id in ("a", "b")],
    "grants": [
        {"id": id, "group": id, "resource": {"type": "d", "id": "a"}, "actions": ["*"], "expires_at": ENDS[1]}
        for id in ("a", "b")
    ],
    "policies": [
        {"id": id, "effect": "DENY", "resource_types": [{"resource_type_id": "*", "actions": ["*"]}]}
        for id in ("a", "b")
    ],
}
SECONDS = (float("inf"), 1893456000.0, 1924992000.5, 1893456000.0)


@pytest.fixture
def model(store: Store) -> dict[str, Any]:
    found = hostile_model(12, 40)
    for kind in ("assignments", "grants"):
        for number, one in enumerate(found[kind]):
            if ENDS[number % 4]:
                one["expires_at"] = ENDS[number % 4]
    put(store, found)
    long = {"type": "user", "attributes": {"name": "n" * 80}}
    write(store, *(Create("subjects", {"id": f"l{n}", **long}) for n in (2, 1, 3)))
    write(store, Patch("subjects", ("user", "l3"), {"attributes": {"name": "n" * 63}}))
    return stored(store)


def place(kind: str, body: dict[str, Any], member: str) -> tuple[Any, ...]:
    """The values that an element is sorted by: the type of an entity, then its id, its name or its end."""
    type = (body["type"],) if "type" in body else ()
    if member == "id":
        return (*type, body["id"])
    if member == "expires_at":
        return SECONDS[ENDS.index(body.get("expires_at"))], body["id"]
    name = body.get("attributes", {}).get("name") if kind == "subjects" else body.get("name")
    if not isinstance(name, str):
        name = body["id"]
    return (*type, name[:64], body["id"])


def listed(store: Store, kind: str, sort: str, limit: int, **filters: str) -> list[dict[str, Any]]:
    found, cursor = [], None
    while True:
        page = store.finder.page(ENV, kind, "", filters, limit, cursor, sort=sort)
        found += [one.body for one in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return found


def test_lists_come_in_the_order_that_is_asked_for(store: Store, model: dict[str, Any]) -> None:
    for kind, sort in ALL:
        expected = sorted(
            model[kind], key=lambda body: place(kind, body, sort.removeprefix("-")), reverse=sort.startswith("-")
        )
        for limit in (1, 3, 1_000):
            assert listed(store, kind, sort, limit) == expected, (kind, sort, limit)
    expected = sorted(
        (body for body in model["subjects"] if body["type"] == "user"), key=lambda body: place("subjects", body, "name")
    )
    assert listed(store, "subjects", "name", 2, type="user") == expected


def test_pages_go_on_whatever_is_written_in_between(store: Store) -> None:
    """A role that stays, under its name, is neither skipped nor repeated."""
    put(store, {"roles": [{"id": f"{n}", "name": f"n{9 - n}"} for n in range(10)]})
    first = store.finder.page(ENV, "roles", "", {}, 4, sort="-name")
    write(store, Delete("roles", ("3",)), Create("roles", {"id": "x", "name": "n99"}), Create("roles", {"id": "n35"}))
    rest = store.finder.page(ENV, "roles", "", {}, 10, first.next_cursor, sort="-name")
    assert [one.body["id"] for one in first.items + rest.items] == [*"012345", "n35", *"6789"]


@pytest.mark.of_file
def test_an_index_has_each_order(store: Store) -> None:
    """Of a million elements, a page reads its own rows only: at the beginning, and after a cursor."""
    put(store, TAME)
    with store._connections.reading() as db:
        environment = environment_within(db, ENV, None)
        for kind, sort in ALL:
            queries = list[str]()
            for start in (None, list_page(db, environment, kind_named(kind), {}, 1, None, sort).next_cursor):
                db.conn.set_trace_callback(queries.append)
                list_page(db, environment, kind_named(kind), {}, 1_000, start, sort)
                db.conn.set_trace_callback(None)
            plans = list[str]()
            for query in queries:
                plan = " ".join(row[-1] for row in db.execute(f"EXPLAIN QUERY PLAN {query}"))
                assert "USING INDEX" in plan, (query, plan)
                assert "TEMP B-TREE" not in plan, (query, plan)
                plans.append(plan)
            assert any(sign in plan for sign in "<>" for plan in plans), plans


def test_other_orders_are_refused(store: Store) -> None:
    put(store, {"roles": [{"id": "a"}, {"id": "b"}]})
    for kind, sort, said in (
        ("roles", "expires_at", "only `id`, `-id`, `name` or `-name`"),
        ("routes", "id", "one order"),
        ("assignments", "--id", "only `id`, `-id`, `expires_at` or `-expires_at`"),
        ("grants", "\ud800", "only `id`"),
    ):
        with pytest.raises(BadQuery, match=said):
            store.finder.page(ENV, kind, "", sort=sort)
    cursor = store.finder.page(ENV, "roles", "", {}, 1, sort="-name").next_cursor
    for sort in ("", "name", "-id"):
        with pytest.raises(BadQuery, match="not of this list"):
            store.finder.page(ENV, "roles", "", {}, 1, cursor, sort=sort)
    with pytest.raises(BadQuery, match="go together"):
        store.finder.page(ENV, "roles", "a", sort="name")
