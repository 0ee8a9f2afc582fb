"""The access log of real servers: one line for each request, whichever way it took, and nothing personal."""

import json
import logging
import subprocess
import tracemalloc
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest
from writ.api.service.observing.access_log import WRITE_BYTES, AccessLog
from writ.api.service.observing.answered import LONGEST_TRACE_STATE, Answered, answer_of
from writ.api.service.observing.answered_queue import BOUNDS, AnsweredQueue, memory_of
from writ.api.service.observing.observer_start import Observing
from writ.api.service.routes.all_routes import ROUTES
from writ.api.telemetry.log import service_log
from writ.api.telemetry.log_lines import cause_of

from tests.support.bundling import bundle_file
from tests.support.envoy_checks import envoy
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, command, environment, running, started
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

ROOT, SINGLE = "/v1/environments/default", "/access/v1/evaluation"
PERSON = "maria.personal"
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
TRACED = {"X-Request-ID": "r-7", "traceparent": f"00-{TRACE_ID}-b7ad6b7169203331-01"}
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "routes": [
        {"id": "r", "methods": ["GET"], "path": "/documents/{id}", "resource_type": "document", "action": "read"}
    ],
}
GATEWAY = {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": ["127.0.0.1"]}
ASKED = {
    "subject": {"type": "user", "id": PERSON},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}
SETTINGS = {"WRIT_ACCESS_LOG": "on", "WRIT_LOG_FORMAT": "json"}
Line = dict[str, Any]


def prepare(server: Server) -> None:
    with server.client() as admin:
        admin.put(f"{ROOT}/model", json=MODEL).raise_for_status()
        admin.put(f"{ROOT}/gateway", json=GATEWAY).raise_for_status()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("server") / "data", settings=SETTINGS) as found:
        prepare(found)
        yield found


def lines(server: Server) -> list[Line]:
    return [line for text in server.log.splitlines() if (line := json.loads(text))["logger"] == "writ.access"]


def lines_after(server: Server, before: int, count: int) -> list[Line]:
    """The lines of the requests since `before`, of which there are `count`. They come a little later."""
    wait_until(lambda: len(lines(server)) >= before + count)
    own = mark(server)
    found = [line for line in lines(server)[before:] if line["request_id"] != own]
    assert len(found) == count
    assert PERSON not in server.log
    assert KEY not in server.log
    return found


def seen(server: Server) -> int:
    """The number of lines so far: the last one is that of a request of its own, so all before it are there."""
    mark(server)
    return len(lines(server))


def mark(server: Server) -> str:
    """Send a request, and wait for its line. Returns its id."""
    own = uuid4().hex
    httpx.get(f"{server.url}/healthz", headers={"X-Request-ID": own}).raise_for_status()
    assert wait_until(lambda: own in server.log)
    return own


def told(line: Line) -> tuple[object, ...]:
    names = ("method", "route", "status", "environment", "caller", "request_id", "trace_id")
    return tuple(line.get(name) for name in names)


def test_the_lane_and_the_application_tell_the_same(server: Server) -> None:
    before = seen(server)
    with server.client() as client:
        for _ in range(3):  # the first one's credential may have to be looked up: the application answers it
            assert client.post(SINGLE, json=ASKED, headers=TRACED).status_code == 200
        answer = client.post(SINGLE, json=ASKED, headers=TRACED | {"Origin": "https://a.example"})
    found = lines_after(server, before, 4)
    assert {told(line) for line in found} == {
        ("POST", SINGLE, 200, "default", "admin-key", "r-7", TRACE_ID),
    }
    assert {line["bytes"] for line in found} == {len(answer.content)}
    assert all(0 < line["duration_ms"] < 10_000 for line in found)
    assert {(line["level"], line["worker"], line["message"]) for line in found} == {("info", 0, f"POST {SINGLE} 200")}
    assert all(line["traceparent"] == TRACED["traceparent"] for line in found)


@pytest.mark.parametrize(
    ("method", "path", "route", "status"),
    [
        ("GET", f"{ROOT}/subjects/user/{PERSON}", "/v1/environments/{env}/subjects/{type}/{id}", 404),
        ("GET", f"{ROOT}/grants?cursor={PERSON}", "/v1/environments/{env}/grants", 400),
        ("GET", f"/{PERSON}?a={PERSON}", None, 404),
        ("HEAD", "/healthz", "/healthz", 200),
        ("POST", f"/healthz?{PERSON}", "/healthz", 405),
    ],
)
def test_neither_path_nor_query_is_told(server: Server, method: str, path: str, route: str | None, status: int) -> None:
    before = seen(server)
    with server.client() as client:
        assert client.request(method, path).status_code == status
    (line,) = lines_after(server, before, 1)
    assert told(line)[:3] == (method, route, status)
    assert (line["bytes"] == 0) is (method == "HEAD")


def test_a_caller_is_told_for_its_own_requests_only(server: Server) -> None:
    """All on one connection, where an earlier request must not lend its caller to a later one."""
    before = seen(server)
    body = json.dumps(ASKED).encode()
    calls = [
        request("POST", SINGLE, body, key=KEY),
        request("POST", SINGLE, body, key=KEY),
        request("POST", SINGLE, body, key="wrong"),
        request("GET", "/healthz"),
        request("POST", f"/environments/elsewhere{SINGLE}", body, key=KEY),
    ]
    with RawConnection(server.host, server.port) as connection:
        for call in calls:
            connection.send(call)
            connection.answer()
    found = lines_after(server, before, 5)
    assert [(line["status"], line.get("caller"), line.get("environment")) for line in found] == [
        (200, "admin-key", "default"),
        (200, "admin-key", "default"),
        (401, None, None),
        (200, None, None),
        (404, "admin-key", None),
    ]
    assert found[4]["route"] == f"/environments/{{env}}{SINGLE}"


@pytest.mark.parametrize("name", [PERSON, f"{PERSON}%40example.com%0Ax=1", f"{PERSON}~", PERSON + "x" * 9_000])
def test_only_environments_that_exist_are_told(server: Server, name: str) -> None:
    """Whichever way the request takes. Whatever else stands in the path may be a person."""
    before = seen(server)
    own = {"X-Writ-Authorization": f"Bearer {KEY}"}
    with server.client() as client:
        answers = [
            client.get(f"/v1/environments/{name}/grants"),
            client.put(f"/v1/environments/{name}/model", content=b"{"),
            client.post(f"/environments/{name}{SINGLE}", json=ASKED),
            client.get(f"/environments/{name}/gateway/nginx", headers=own),
        ]
    assert all(400 <= answer.status_code < 500 for answer in answers)
    found = lines_after(server, before, len(answers))
    assert [line.get("environment") for line in found] == [None] * len(answers)


def test_a_new_environment_is_told_at_once_and_a_deleted_one_no_more(server: Server) -> None:
    before = seen(server)
    with server.client() as client:
        for method, path, body in (
            ("POST", "/v1/environments", {"id": "staging"}),
            ("POST", f"/environments/staging{SINGLE}", ASKED),
            ("POST", f"/environments/staging{SINGLE}", ASKED),
            ("GET", "/v1/environments/staging/grants", None),
            ("DELETE", "/v1/environments/staging", None),
            ("GET", "/v1/environments/staging/grants", None),
        ):
            client.request(method, path, json=body)
    found = lines_after(server, before, 6)
    assert [(line["status"], line.get("environment")) for line in found[1:]] == [
        (200, "staging"),
        (200, "staging"),
        (200, "staging"),
        (204, "staging"),
        (404, None),
    ]


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_the_longest_line_is_one_write(tmp_path: Path, log_format: str) -> None:
    """The system never mixes it with a line of another process."""
    longest = max((len(route.path), route.path) for route in ROUTES)[1]
    fields = dict.fromkeys(LARGE, b"\x9b" * 9_000) | {b"traceparent": TRACED["traceparent"].encode()}
    one = msgspec.structs.replace(
        answer(fields), method="x" * 20, route=longest, environment="e" * 64, caller="c" * 512
    )
    with (tmp_path / "log").open("wb") as stream:
        AccessLog(log_format, stream.fileno()).take([one])
    line = (tmp_path / "log").read_bytes()
    assert 1_200 < len(line) < WRITE_BYTES


def test_a_gateway_is_told_by_its_contract(server: Server) -> None:
    before = seen(server)
    own = {"X-Writ-Authorization": f"Bearer {KEY}", "X-Writ-Subject": f"user:{PERSON}"}
    with httpx.Client(base_url=server.url) as client:
        for _ in range(2):  # the application, and the lane
            assert client.get(f"/gateway/envoy/documents/{PERSON}", headers=own | TRACED).status_code == 403
        refused = client.get(f"/gateway/envoy/documents/{PERSON}")
        assert refused.status_code == 401
    found = lines_after(server, before, 3)
    assert [told(line) for line in found] == [
        *[("GET", "/gateway/envoy", 403, "default", "admin-key", "r-7", TRACE_ID)] * 2,
        ("GET", "/gateway/envoy", 401, None, None, refused.headers["X-Request-ID"], None),
    ]


def test_what_can_not_be_read_has_a_line_too(server: Server) -> None:
    before = seen(server)
    with RawConnection(server.host, server.port) as connection:
        connection.send(f"GET /{PERSON} HTTP/9.9\r\nX-{PERSON}: {PERSON}\r\n\r\n".encode())
        answer = connection.answer()
        assert answer.status == 400
    (line,) = lines_after(server, before, 1)
    assert told(line) == (None, None, 400, None, None, answer.headers["x-request-id"], None)


def test_checks_of_envoy_over_grpc_have_lines(tmp_path: Path) -> None:
    pytest.importorskip("grpc", reason="grpcio is not installed")
    with running(tmp_path / "data", "--envoy-bind", "127.0.0.1:0", settings=SETTINGS) as server:
        prepare(server)
        before = seen(server)
        said = next(text for text in server.log.splitlines() if "over gRPC" in text)
        sent = {"x-writ-subject": f"user:{PERSON}", "x-request-id": "r-7", "traceparent": TRACED["traceparent"]}
        with envoy(int(json.loads(said)["message"].rpartition(":")[2]), KEY) as client:
            assert client.ask("GET", f"/documents/{PERSON}", *sent.items()).status == 403
        (line,) = lines_after(server, before, 1)
    check = "/envoy.service.auth.v3.Authorization/Check"
    assert told(line) == ("POST", check, 403, "default", "admin-key", "r-7", TRACE_ID)


def test_lines_of_text_say_the_same(tmp_path: Path) -> None:
    with running(tmp_path / "data", settings={"WRIT_ACCESS_LOG": "on"}) as server, server.client() as client:
        client.post(SINGLE, json=ASKED, headers=TRACED)
        assert wait_until(lambda: f"POST {SINGLE}" in server.log)
    (line,) = [line for line in server.log.splitlines() if f"POST {SINGLE}" in line]
    assert f"[INFO] POST {SINGLE} 200 duration_ms=" in line
    assert line.endswith(
        f"environment=default caller=admin-key request_id=r-7 traceparent={TRACED['traceparent']} trace_id={TRACE_ID}"
    )


def test_an_agent_has_the_same_lines(tmp_path: Path) -> None:
    bundle = bundle_file({}, tmp_path / "m.bundle")
    line = command("agent", "--bundle", str(bundle), "--unsigned", "--bind", "127.0.0.1:0", "--workers", "1")
    with started(line, environment(SETTINGS), tmp_path / "agent.log", tmp_path) as agent:
        before = seen(agent)
        for _ in range(2):
            httpx.post(agent.url + SINGLE, json=ASKED, headers=TRACED)
        found = lines_after(agent, before, 2)
    assert {told(line)[:4] for line in found} == {("POST", SINGLE, 200, "default")}


def test_there_is_no_line_by_default(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server, server.client() as client:
        client.post(SINGLE, json=ASKED)
    assert SINGLE not in server.log


def test_without_it_the_parts_of_a_server_are_as_they_were() -> None:
    off, part = Observing((), service_log("info"), False), object()
    assert off.application(part) is part
    assert off.lane(part) is part  # type: ignore[arg-type, comparison-overlap]
    assert off.checks(part) is part  # type: ignore[arg-type, comparison-overlap]


def test_a_reader_that_stops_reading_holds_up_no_decision(tmp_path: Path) -> None:
    """Standard error is a pipe that fills up. More requests are answered than it can hold lines."""
    line = command("serve", "--data", str(tmp_path / "data"), "--bind", "127.0.0.1:0", "--workers", "1")
    variables = environment({"WRIT_ADMIN_KEY": KEY} | SETTINGS)
    with subprocess.Popen(line, stderr=subprocess.PIPE, env=variables, cwd=tmp_path) as process:
        assert process.stderr is not None
        try:
            while b"Writ decides at" not in (text := process.stderr.readline()):
                assert text
            url = json.loads(text)["message"].split()[3]
            with httpx.Client(headers={"Authorization": f"Bearer {KEY}"}, timeout=20) as client:
                for _ in range(600):
                    assert client.post(url + SINGLE, json=ASKED, headers={"X-Request-ID": "x" * 190}).status_code == 200
        finally:
            process.kill()


class Taker:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.taken: list[Answered] = []

    def start_worker(self, place: int) -> None: ...
    def finish(self, seconds: float) -> None: ...
    def take(self, answers: Sequence[Answered]) -> None:
        self.taken.extend(answers)


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> logging.Logger:
    found = service_log("info").getChild("test")
    found.propagate = True
    found.addHandler(caplog.handler)
    return found


def test_the_queue_is_bounded_and_what_is_dropped_is_counted(
    log: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    taker = Taker()
    waiting = AnsweredQueue([taker], log)
    for _ in range(BOUNDS.entries + 7):
        waiting.answered(answer(USUAL))
    waiting.start_worker(0)
    waiting.stop(20)
    assert len(taker.taken) == BOUNDS.entries
    assert "7 requests are in no access log" in caplog.text


USUAL = {b"x-request-id": b"x" * 36, b"traceparent": TRACED["traceparent"].encode()}
LARGE = {b"x-request-id": b"x" * 8_100, b"traceparent": b"y" * 8_100, b"tracestate": b"a=b," * 2_000}


def answer(fields: Mapping[bytes, bytes]) -> Answered:
    own = {name: bytes(bytearray(value)) for name, value in fields.items()}
    return answer_of(("/x", "GET"), 200, 0, 0, own, False, own.get(b"x-request-id", b""))


def test_requests_with_large_headers_take_bounded_memory(log: logging.Logger, caplog: pytest.LogCaptureFixture) -> None:
    """While nobody reads the log. What is told makes room again."""
    taker = Taker()
    waiting = AnsweredQueue([taker], log)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(BOUNDS.entries):
            waiting.answered(answer(LARGE))
        assert tracemalloc.get_traced_memory()[0] - before < BOUNDS.bytes * 1.1
    finally:
        tracemalloc.stop()
    waiting.start_worker(0)
    assert wait_until(lambda: 0 < len(taker.taken) < BOUNDS.entries) is True
    waiting.stop(20)
    count = len(taker.taken)
    assert count == BOUNDS.bytes // memory_of(answer(LARGE))
    assert f"{BOUNDS.entries - count} requests are in no access log" in caplog.text


def test_a_trace_that_is_cut_is_the_same_trace() -> None:
    """Or it is none, as before the cut. Members of a state are whole."""
    trace = TRACED["traceparent"].encode()
    for sent, found in (
        (trace, trace),
        (trace.replace(b"00-", b"01-", 1) + b"-more", trace.replace(b"00-", b"01-", 1)),
        (trace + b"x" * 9_000, None),
    ):
        told = cause_of(None, answer({b"traceparent": sent}).traceparent).traceparent
        assert told == (None if found is None else found.decode())
    state = answer({b"tracestate": b",".join(b"k%d=%d" % (number, number) for number in range(200))}).tracestate
    assert state is not None
    assert LONGEST_TRACE_STATE - 10 < len(state) <= LONGEST_TRACE_STATE
    assert state.endswith(b"=" + state.rpartition(b"k")[2].partition(b"=")[0])
    assert answer({b"tracestate": b"x" * 9_000}).tracestate == b""
