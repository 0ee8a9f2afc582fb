"""`GET …/expiring`: the assignments and grants that expire soon, soonest first (P4)."""

from pathlib import Path

import pytest

from tests.support.clock import Clock
from tests.support.managed import MEMBERS, ROOT, Managed

NOW = 1_800_000_000.0
"""2027-01-15T08:00:00Z."""

ALL = f"{ROOT}/expiring"


@pytest.fixture
def served(tmp_path: Path) -> Managed:
    client = Managed(tmp_path, clock=Clock(NOW))
    client.create_all()
    for id, expires in (("week", "2027-01-22T08:00:00Z"), ("late", "2027-01-22T08:00:00.001Z")):
        client.create("grants", MEMBERS["grants"] | {"id": id, "expires_at": expires})
    for id, expires in (("hour", "2027-01-15T10:00:00.5+01:00"), ("over", "2027-01-15T08:00:00Z")):
        client.create("assignments", MEMBERS["assignments"] | {"id": id, "expires_at": expires})
    return client


def test_the_next_week_is_listed(served: Managed) -> None:
    found = served.simulate_get(ALL)
    assert found.status_code == 200
    assert found.json == {
        "items": [
            {
                "kind": "assignments",
                "id": "hour",
                "expires_at": "2027-01-15T09:00:00.5Z",
                "element": {
                    "id": "hour",
                    "role": "editor",
                    "group": "eng",
                    "expires_at": "2027-01-15T10:00:00.5+01:00",
                },
            },
            {
                "kind": "grants",
                "id": "week",
                "expires_at": "2027-01-22T08:00:00Z",
                "element": MEMBERS["grants"] | {"id": "week", "expires_at": "2027-01-22T08:00:00Z"},
            },
        ],
        "next_cursor": None,
    }


@pytest.mark.parametrize(
    ("within", "listed"),
    [
        ("3600s", []),
        ("3601s", ["hour"]),
        ("61m", ["hour"]),
        ("7d", ["hour", "week"]),
        ("169h", ["hour", "week", "late"]),
        ("366d", ["hour", "week", "late"]),
    ],
)
def test_the_caller_chooses_the_time(served: Managed, within: str, listed: list[str]) -> None:
    for limit in (1, 100):
        found, cursor = [], ""
        while cursor is not None:
            page = served.simulate_get(f"{ALL}?within={within}&limit={limit}{cursor}").json
            found += [one["id"] for one in page["items"]]
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        assert found == listed


@pytest.mark.parametrize(
    ("since", "until", "listed"),
    [
        ("2027-01-15T09:00:00.5Z", "2027-01-22T08:00:00Z", ["hour"]),
        ("2027-01-15T09:00:00.6Z", "2027-01-22T08:00:00.001Z", ["week"]),
        ("2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z", ["over", "hour", "week", "late"]),
    ],
)
def test_a_span_of_a_calendar_has_its_first_instant_and_not_its_last(
    served: Managed, since: str, until: str, listed: list[str]
) -> None:
    found = served.simulate_get(ALL, params={"since": since, "until": until}).json
    assert [one["id"] for one in found["items"]] == listed


@pytest.mark.parametrize(
    "query",
    [
        "since=2027-01-01T00:00:00Z",
        "since=2027-01-01T00:00:00Z&until=2027-01-01T00:00:00Z",
        "since=2027-01-01T00:00:00Z&until=2028-01-03T00:00:00Z",
        "since=2027-01-01T00:00:00Z&until=2027-01-02T00:00:00Z&within=7d",
        "since=monday&until=2027-01-02T00:00:00Z",
    ],
)
def test_a_bad_span_is_refused(served: Managed, query: str) -> None:
    assert served.simulate_get(f"{ALL}?{query}").status_code == 400


def test_what_has_ended_is_listed_by_the_clock_of_the_service(served: Managed) -> None:
    """An element that ends now has ended. One that ended as long ago as that, to the instant, is left out."""
    for id, expires in (("yesterday", "2027-01-14T09:00:00Z"), ("edge", "2027-01-14T08:00:00Z")):
        served.create("grants", MEMBERS["grants"] | {"id": id, "expires_at": expires})
    for limit in (1, 100):
        found, cursor = [], ""
        while cursor is not None:
            page = served.simulate_get(f"{ALL}?state=ended&within=1d&limit={limit}{cursor}").json
            found += [one["id"] for one in page["items"]]
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"
        assert found == ["yesterday", "over"]
    default, named = (served.simulate_get(ALL, query_string=query).json for query in ("", "state=ending&within=7d"))
    assert default == named


@pytest.mark.parametrize("within", ["", "7", "d", "0d", "-1d", "1.5h", "1w", "367d", "9999999999d", "7D", "%D9%A7d"])
def test_another_time_is_refused_in_one_sentence(served: Managed, within: str) -> None:
    found = served.simulate_get(f"{ALL}?within={within}")
    assert found.status_code == 400
    assert found.json["error"].startswith("`within`: ")
    assert "up to 366d" in found.json["error"]


@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "cursor=x", "soon=1", "state=", "state=over"])
def test_a_query_is_read_strictly(served: Managed, query: str) -> None:
    assert served.simulate_get(f"{ALL}?{query}").status_code == 400


def test_many_are_read_in_chunks(served: Managed) -> None:
    """They all expire at once, so that their order is that of their ids."""
    items = [
        MEMBERS["grants"]
        | {"id": f"n{n:03}", "subject": {"type": "user", "id": f"u{n}"}, "expires_at": "2027-01-15T08:30:00Z"}
        for n in range(250)
    ]
    assert served.simulate_post(f"{ROOT}/grants:batch", json={"items": items}).status_code == 201
    found = served.simulate_get(f"{ALL}?within=1h&limit=240").json
    assert [one["id"] for one in found["items"]] == [one["id"] for one in items[:240]]
    rest = served.simulate_get(f"{ALL}?within=1h&limit=240&cursor={found['next_cursor']}").json
    assert [one["id"] for one in rest["items"]] == [one["id"] for one in items[240:]]
    assert rest["next_cursor"] is None


def test_a_credential_sees_only_its_environments(served: Managed) -> None:
    assert served.simulate_post("/v1/environments", json={"id": "other"}).status_code == 201
    body = {"name": "k", "scopes": ["read"], "environments": ["other"]}
    key = served.simulate_post("/v1/api-keys", json=body).json["key"]
    headers = {"Authorization": f"Bearer {key}"}
    assert served.simulate_get("/v1/environments/other/expiring", headers=headers).json["items"] == []
    assert served.simulate_get(ALL, headers=headers).status_code == 403
    assert served.simulate_get("/v1/environments/ghost/expiring", headers=headers).status_code == 403
    assert served.simulate_get("/v1/environments/ghost/expiring").status_code == 404
    assert served.simulate_get(ALL, headers={"Authorization": ""}).status_code == 401
