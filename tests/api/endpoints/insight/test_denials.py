"""`GET …/denials`: the newest denials of the decision log of a real service, and of files that tests write."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from falcon import testing
from hypothesis import given
from hypothesis import strategies as st
from writ.api.endpoints.insight.denials import Denials
from writ.api.settings.settings import HttpLimits
from writ.api.store.errors import BadQuery
from writ.api.telemetry.decision_log.denials import EVERY_DENIAL, DenialFilter
from writ.bundles.conditions.instants import parse_instant

from tests.api.conftest import ALLOWED, DENIED, MODEL, PLAN
from tests.support.decision_logs import records
from tests.support.managed import ROOT, Managed
from tests.support.server import Server, running
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

ALL = f"{ROOT}/denials"
SECRET = ALLOWED | {"resource": PLAN | {"properties": {"secret": True}}}
MASKS = json.dumps({"staging": [{"path": "$.subject.id", "do": "drop"}]})


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "decisions.jsonl"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, log: Path) -> Iterator[Server]:
    folder, settings = tmp_path_factory.mktemp("denials"), {"WRIT_DECISION_LOG_MASKS": MASKS}
    with running(folder / "data", "--decision-log", str(log), workers=2, settings=settings) as server:
        with server.client() as client:
            client.post("/v1/environments", json={"id": "staging"}).raise_for_status()
            for env in ("default", "staging"):
                client.put(f"/v1/environments/{env}/model", json={"model": 1} | MODEL).raise_for_status()
        yield server


def ask(server: Server, log: Path, env: str = "default") -> None:
    """Ask for permissions, denials, items and searches, and wait until the log has them."""
    before = log.read_bytes().count(b"\n")
    with server.client() as client:
        place = f"/environments/{env}/access/v1"
        for body in (ALLOWED, DENIED, SECRET):
            client.post(f"{place}/evaluation", json=body).raise_for_status()
        batch = {"evaluations": [ALLOWED, DENIED, {}]}
        client.post(f"{place}/evaluations", json=batch).raise_for_status()
        search = {name: ALLOWED[name] for name in ("subject", "action")} | {"resource": {"type": "document"}}
        client.post(f"{place}/search/resource", json=search).raise_for_status()
    assert wait_until(lambda: log.read_bytes().count(b"\n") >= before + 7)


def denials_of(log: Path, env: str) -> list[dict[str, Any]]:
    """The denials of an environment as a file has them, the last one first."""
    found = [one for one in records(log) if one["kind"] != "search" and one["answer"]["decision"] is False]
    return [one for one in reversed(found) if one["environment"] == env]


def test_the_denials_of_an_environment_are_as_they_stand_in_the_log(server: Server, log: Path) -> None:
    for env in ("default", "staging", "default"):
        ask(server, log, env)
    with server.client() as client:
        for env, count in (("default", 8), ("staging", 4)):
            found = client.get(f"/v1/environments/{env}/denials").raise_for_status().json()
            items = denials_of(log, env)
            assert found == {"items": items, "next_cursor": None, "source": "file", "at_this_server": False}
            assert len(found["items"]) == count
            assert {one["kind"] for one in found["items"]} == {"evaluation", "item"}
        assert all("id" not in (one["request"] or {}).get("subject", {}) for one in found["items"])


def test_pages_follow_each_other(server: Server, log: Path) -> None:
    ask(server, log)
    expected, found, cursor = denials_of(log, "default"), list[dict[str, Any]](), ""
    with server.client() as client:
        while cursor is not None:
            query = {"limit": "3"} | ({"cursor": cursor} if cursor else {})
            page = client.get(ALL, params=query).raise_for_status().json()
            assert len(page["items"]) <= 3
            found += page["items"]
            cursor = page["next_cursor"]
    assert found == expected


def test_who_may_read_denials(server: Server) -> None:
    with server.client() as admin, httpx.Client(base_url=server.url) as client:
        for scope, environments, expected in (
            ("write", None, (403, 403, 403)),
            ("admin", ["staging"], (403, 200, 403)),
            ("admin", None, (200, 200, 404)),
        ):
            body = {"name": "reader", "scopes": [scope], "environments": environments}
            key = admin.post("/v1/api-keys", json=body).raise_for_status().json()["key"]
            found = [
                client.get(f"/v1/environments/{env}/denials", headers={"Authorization": f"Bearer {key}"}).status_code
                for env in ("default", "staging", "nothing")
            ]
            assert tuple(found) == expected


def test_an_environment_made_anew_does_not_show_the_denials_of_the_deleted_one(server: Server, log: Path) -> None:
    with server.client() as client:
        for _ in range(2):
            client.post("/v1/environments", json={"id": "short"}).raise_for_status()
            second = int(time.time())  # environments know the second in which they were made
            client.put("/v1/environments/short/model", json={"model": 1} | MODEL).raise_for_status()
            assert client.get("/v1/environments/short/denials").json()["items"] == []
            ask(server, log, "short")
            assert len(client.get("/v1/environments/short/denials").json()["items"]) == 4
            client.delete("/v1/environments/short").raise_for_status()
            assert wait_until(lambda second=second: time.time() >= second + 1)


def test_a_file_that_was_moved_away_is_not_read(server: Server, log: Path) -> None:
    ask(server, log)
    with server.client() as client:
        cursor = client.get(ALL, params={"limit": "1"}).json()["next_cursor"]
        os.rename(log, log.with_suffix(".1"))
        assert client.get(ALL).json()["items"] == []
        assert client.get(ALL, params={"limit": "1", "cursor": cursor}).status_code == 400
        log.touch(0o600)
        ask(server, log)
        assert client.get(ALL).json()["items"] == denials_of(log, "default")


# -- files that a test writes


class FileOnly:
    """A decision log that is a file."""

    def __init__(self, file: Path | None) -> None:
        self.file = file


def page_of(
    served: Managed,
    file: Path | None,
    limit: int = 1_000,
    cursor: str | None = None,
    wanted: DenialFilter = EVERY_DENIAL,
) -> dict[str, Any]:
    """A page of the denials in a file."""

    work: Any = type("Work", (), {"store": served.store})
    log: Any = FileOnly(file)
    page = Denials(work, HttpLimits(), log, False)._page("default", None, limit, cursor, wanted)
    found: dict[str, Any] = json.loads(page)
    return found


def record(number: int, **more: Any) -> dict[str, Any]:
    made = {
        "time": "2035-01-01T00:00:00.000000Z",
        "decision_id": f"p-{number:x}",
        "environment": "default",
        "revision": 1,
        "kind": "evaluation",
        "request": {"subject": {"id": "å%s"}},
        "answer": {"decision": False},
        "reason_code": "NO_POLICY_MATCH",
    }
    return made | more


KINDS = st.sampled_from(
    [
        ({}, True),
        ({"kind": "item"}, True),
        ({"answer": {"decision": True}, "reason_code": "ALLOWED"}, False),
        ({"kind": "search", "answer": {"results": 0}}, False),
        ({"environment": "staging"}, False),
        ({"environment": None}, False),
        ({"answer": None, "cut": True}, True),
        ({"answer": None, "cut": True, "reason_code": "ALLOWED"}, False),
        ({"answer": {"decision": True}, "request": {"x": [{"decision": False}]}}, False),
        ({"time": "2001-01-01T00:00:00.000000Z"}, False),
        (b"", False),
        (b'{"decision":false', False),
        (b'{"decision":false,"x":"\xff"}', False),
        (b"[" * 100_000 + b'"decision":false', False),
        (b'"decision":false', False),
    ]
)


@given(st.lists(KINDS, max_size=12), st.integers(1, 5), st.booleans())
def test_pages_have_every_denial_once(
    served: Managed, tmp_path_factory: pytest.TempPathFactory, kinds: list[Any], limit: int, is_half: bool
) -> None:
    lines, expected = list[bytes](), list[dict[str, Any]]()
    for number, (kind, is_denial) in enumerate(kinds):
        made = kind if isinstance(kind, bytes) else record(number, **kind)
        lines.append(kind if isinstance(kind, bytes) else json.dumps(made, separators=(",", ":")).encode())
        expected += [made] * is_denial
    path = tmp_path_factory.getbasetemp() / "written.jsonl"
    half = json.dumps(record(99), separators=(",", ":")).encode() if is_half else b""
    path.write_bytes(b"".join(line + b"\n" for line in lines) + half)
    found, cursor = list[dict[str, Any]](), None
    while True:
        page = page_of(served, path, limit, cursor)
        assert len(page["items"]) <= limit
        found += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == expected[::-1]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Managed:
    return Managed(tmp_path_factory.mktemp("served"))


def test_a_cursor_of_a_record_that_has_gone_is_refused(served: Managed, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("".join(json.dumps(record(number), separators=(",", ":")) + "\n" for number in range(3)))
    cursor = page_of(served, path, 1)["next_cursor"]
    path.write_text("")
    with pytest.raises(BadQuery, match="begin without a cursor"):
        page_of(served, path, 1, cursor)


def test_the_large_end_of_a_log_is_read_within_a_second(served: Managed, tmp_path: Path) -> None:
    path = tmp_path / "log"
    lines = (json.dumps(record(number, request="x" * 300), separators=(",", ":")) for number in range(40_000))
    path.write_text("\n".join(lines) + "\n")
    began = time.process_time()
    found = page_of(served, path)
    assert [one["decision_id"] for one in found["items"][:2]] == [f"p-{39_999:x}", f"p-{39_998:x}"]
    assert time.process_time() - began < 1


ASKED = {"subject": {"id": "ada"}, "action": {"name": "read"}, "resource": {"external_id": "crm|7"}}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (DenialFilter(), [5, 4, 3, 2, 1, 0]),
        (DenialFilter(subject="ada"), [1, 0]),
        (DenialFilter(subject="ada", action="read", resource="crm|7"), [0]),
        (DenialFilter(subject="ada", action="write"), [1]),
        (DenialFilter(resource="crm|7"), [0]),
        (DenialFilter(reason="EXPLICIT_DENY"), [2]),
        (DenialFilter(since=parse_instant("2035-01-01T00:00:03Z")), [5, 4, 3]),
        (DenialFilter(subject="nobody"), []),
    ],
)
def test_a_filter_leaves_only_what_it_asks_for(
    served: Managed, tmp_path: Path, wanted: DenialFilter, found: list[int]
) -> None:
    """Also page by page, and among records that a mask has emptied."""
    more: list[dict[str, Any]] = [
        {"request": ASKED},
        {"request": ASKED | {"action": {"name": "write"}, "resource": {"name": "crm"}}},
        {"reason_code": "EXPLICIT_DENY"},
        {"request": None},
        {"request": ["ada"]},
        {"request": {"subject": "ada", "action": None}},
    ]
    path = tmp_path / "log"
    written = [record(at, time=f"2035-01-01T00:00:0{at}.000000Z", **one) for at, one in enumerate(more)]
    path.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in written))
    assert [one["decision_id"] for one in page_of(served, path, wanted=wanted)["items"]] == [f"p-{n}" for n in found]
    if len(found) > 1:
        cursor = page_of(served, path, 1, wanted=wanted)["next_cursor"]
        rest = page_of(served, path, cursor=cursor, wanted=wanted)["items"]
        assert [one["decision_id"] for one in rest] == [f"p-{n}" for n in found[1:]]


def test_the_last_hour_is_that_of_the_service(server: Server, log: Path) -> None:
    ask(server, log)
    with server.client() as client:
        whole = client.get(ALL).raise_for_status().json()
        reason = next(one["reason_code"] for one in whole["items"] if one["reason_code"])
        hour = {"within": "1h", "subject": DENIED["subject"]["id"], "reason": reason}
        found = client.get(ALL, params=hour).raise_for_status().json()["items"]
        assert found
        assert all(one["reason_code"] == hour["reason"] for one in found)
        assert client.get(ALL, params=hour | {"subject": "nobody"}).json()["items"] == []


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=x", "cursor=x", "before=1", "within=1w", "within=367d", "reason=ALLOWED", "reason=no"]
)
def test_a_bad_query_is_refused(served: Managed, query: str) -> None:
    assert served.simulate_get(f"{ALL}?{query}").status_code == 400


def test_without_a_log_the_answer_says_how_to_start_one(served: Managed) -> None:
    found: testing.Result = served.simulate_get(ALL)
    assert found.status_code == 409
    assert "start the service with `--decision-log`" in found.json["error"]
