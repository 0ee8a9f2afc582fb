"""`/metrics` of a real service with several workers: what it counts, for whom, and what survives the end of workers."""

import json
import os
import re
import shutil
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from tests.api.endpoints.gateway.test_gateways_served import BY_HEADER, DEFAULT, MODEL
from tests.support.bundling import bundle_file
from tests.support.processes import children
from tests.support.raw_http import Answer, RawConnection, request
from tests.support.server import KEY, Server, command, environment, running, started
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

WORKERS = 3
SINGLE, BATCH, SHORT = "/access/v1/evaluation", "/access/v1/evaluations", "/v1/authorize"
RESOURCES, SUBJECTS, ACTIONS = (f"/access/v1/search/{kind}" for kind in ("resource", "subject", "action"))
PROMTOOL = shutil.which("promtool")
OPEN_ADDRESS = re.compile(r"the metrics are at (http://\S+)/metrics")
PATIENT = {"WRIT_MAX_FAILED_ATTEMPTS": "1000000"}
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("metrics")
    options = ("--metrics-bind", "127.0.0.1:0")
    with running(folder / "data", *options, workers=WORKERS, settings=PATIENT) as server, server.client() as client:
        client.post("/v1/environments", json={"id": "staging"}).raise_for_status()
        for env in (DEFAULT, "/v1/environments/staging"):
            client.put(f"{env}/model", json=MODEL).raise_for_status()
            client.put(f"{env}/gateway", json=BY_HEADER).raise_for_status()
        yield server


def samples_in(text: str) -> Samples:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def samples(server: Server) -> Samples:
    """The metrics now, over a new connection: any worker may answer."""
    with server.client() as client:
        return samples_in(client.get("/metrics").raise_for_status().text)


def value(found: Samples, name: str, **labels: str) -> float:
    return sum(number for (one, have), number in found.items() if one == name and labels.items() <= dict(have).items())


def decisions(found: Samples, environment: str = "default") -> Counter[str]:
    """The decisions by reason code. Items that could not be decided have the code `error`."""
    counted: Counter[str] = Counter()
    for (name, labels), number in found.items():
        have = dict(labels)
        if name == "writ_decisions_total" and have["environment"] == environment and number:
            counted[have["reason_code"] or have["outcome"]] += int(number)
    return counted


def ask(server: Server, *sent: bytes) -> list[Answer]:
    """The answers on one new connection, so of one worker."""
    with RawConnection(server.host, server.port) as raw:
        found = []
        for one in sent:
            raw.send(one)
            found.append(raw.answer())
        return found


def post(path: str, body: Any, **headers: str) -> bytes:
    return request("POST", path, json.dumps(body).encode(), headers, KEY)


def question(subject: str = "alice", action: str = "read", type: str = "document") -> dict[str, Any]:
    return {
        "subject": {"type": "user", "id": subject},
        "action": {"name": action},
        "resource": {"type": type, "id": "d1"},
    }


def gateway(subject: str, method: str = "GET", *, unusual: bool = False) -> bytes:
    lines = [f"GET /gateway/nginx HTTP/1.1\r\nHost: writ\r\nX-Writ-Authorization: Bearer {KEY}"]
    lines += [f"X-Writ-Subject: user:{subject}", f"X-Original-Method: {method}", "X-Original-Host: shop.example"]
    lines += ["X-Original-URI: /documents/d1"] + ["Expect: 100-continue"] * unusual
    return "\r\n".join([*lines, "", ""]).encode()


def short(asked: dict[str, Any]) -> dict[str, str]:
    named = {part: f"{asked[part]['type']}:{asked[part]['id']}" for part in ("subject", "resource")}
    return {"action": asked["action"]["name"], **named}


UNUSUAL = {"X-Nothing": "1", "Expect": "100-continue"}
"""A head that the decision lane leaves to the application."""

QUESTIONS = st.builds(
    question,
    st.sampled_from(["alice", "mallory"]),
    st.sampled_from(["read", "update", "fly"]),
    st.sampled_from(["document", "http", "unknown"]),
)
ITEMS = st.lists(QUESTIONS | st.sampled_from([{}, {"subject": 7}]), min_size=1, max_size=5)
CALLS = st.one_of(
    QUESTIONS.map(lambda one: post(SINGLE, one)),
    QUESTIONS.map(lambda one: post(SINGLE, one, **UNUSUAL)),
    QUESTIONS.map(lambda one: post(SINGLE, one | {"options": {"explain": True}})),
    QUESTIONS.map(lambda one: post(BATCH, one)),
    ITEMS.map(lambda items: post(BATCH, {"evaluations": items})),
    ITEMS.map(lambda items: post(BATCH, {"evaluations": items}, **UNUSUAL)),
    ITEMS.map(lambda items: post(BATCH, {"evaluations": items, "options": {"explain": True}})),
    ITEMS.map(
        lambda items: post(BATCH, {"evaluations": items, "options": {"evaluations_semantic": "deny_on_first_deny"}})
    ),
    QUESTIONS.map(lambda one: post(SHORT, short(one))),
    st.lists(QUESTIONS.map(short) | st.just({}), max_size=4).map(lambda many: post(SHORT, {"requests": many})),
    st.tuples(st.sampled_from(["alice", "mallory"]), st.sampled_from(["GET", "PUT", "TRACE"]), st.booleans()).map(
        lambda told: gateway(told[0], told[1], unusual=told[2])
    ),
    st.sampled_from([post(SINGLE, {}), post(SINGLE, []), post(BATCH, {"evaluations": 7}), b""]).filter(bool),
)


def told(answer: Answer) -> Counter[str]:
    """The decisions in an answer, by reason code."""
    code = answer.headers.get("x-writ-reason-code")
    if not answer.body and "content-type" not in answer.headers:
        return Counter({"ALLOWED": 1} if answer.status == 200 else {})
    if code is not None:
        return Counter({code: 1} if code not in ("NO_ROUTE", "REQUEST_REFUSED") else {})
    found: Any = answer.json
    if answer.status != 200:
        return Counter()
    rows = found.get("evaluations", found.get("results", [found]))
    return Counter(row.get("context", row).get("reason_code", "error") for row in rows)


@settings(max_examples=15)
@given(st.lists(st.lists(CALLS, min_size=1, max_size=6), min_size=1, max_size=4))
def test_every_decision_is_counted_once(server: Server, connections: list[list[bytes]]) -> None:
    """The law: what is counted is what was answered, however it was asked and whichever worker decided."""
    before = samples(server)
    answers = [answer for calls in connections for answer in ask(server, *calls)]
    expected = sum(map(told, answers), Counter())
    calls = len(answers)

    def is_counted() -> bool:
        """Each look is a call, which the next look finds counted. A call is counted just after its answer is sent."""
        nonlocal calls
        calls += 1
        after = samples(server)
        asked = value(after, "writ_http_requests_total") - value(before, "writ_http_requests_total")
        return decisions(after) - decisions(before) == expected and asked == calls

    assert wait_until(is_counted)


EXPLAINED = {"options": {"explain": True}}
WAYS = {
    "evaluation": (post(SINGLE, question()), {"ALLOWED": 1}),
    "evaluation beside the lane": (post(SINGLE, question(), **UNUSUAL), {"ALLOWED": 1}),
    "explained evaluation": (post(SINGLE, question() | EXPLAINED), {"ALLOWED": 1}),
    "batch of no items": (post(BATCH, question()), {"ALLOWED": 1}),
    "batch": (post(BATCH, {"evaluations": [question(), question("mallory"), {}]}), {"ALLOWED": 1, "error": 1}),
    "batch beside the lane": (post(BATCH, {"evaluations": [question()] * 2}, **UNUSUAL), {"ALLOWED": 2}),
    "explained batch": (post(BATCH, {"evaluations": [question()] * 2} | EXPLAINED), {"ALLOWED": 2}),
    "long batch": (post(BATCH, {"evaluations": [question()] * 150}), {"ALLOWED": 150}),
    "short form": (post(SHORT, short(question())), {"ALLOWED": 1}),
    "short list": (post(SHORT, {"requests": [short(question()), {}]}), {"ALLOWED": 1, "error": 1}),
    "gateway": (gateway("alice"), {"ALLOWED": 1}),
    "gateway beside the lane": (gateway("alice", unusual=True), {"ALLOWED": 1}),
    "bad request": (post(SINGLE, {}), {}),
    "gateway without a route": (gateway("alice", "TRACE"), {}),
}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_of_asking_is_counted(server: Server, way: str) -> None:
    sent, expected = WAYS[way]
    before = decisions(samples(server))
    ask(server, sent, sent)  # the worker remembers the credential then
    ask(server, sent)
    found = decisions(samples(server)) - before
    allowed = {code: number for code, number in found.items() if code in ("ALLOWED", "error")}
    assert allowed == {code: 3 * number for code, number in expected.items()}


def test_searches_are_counted(server: Server) -> None:
    before = samples(server)
    search = {"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"}, "resource": {"type": "document"}}
    on = {**search, "resource": {"type": "document", "id": "d1"}}
    calls = [
        post(RESOURCES, search | {"options": {"return": kind}}) for kind in ("filter", "filter", "results", "both")
    ]
    calls += [post(SUBJECTS, on | {"subject": {"type": "user"}})] * 2 + [post(ACTIONS, on)]
    assert {answer.status for answer in ask(server, *calls)} == {200}
    after = samples(server)
    counted = {
        kind: value(after, "writ_searches_total", environment="default", search=kind)
        - value(before, "writ_searches_total", environment="default", search=kind)
        for kind in ("resource", "subject", "action")
    }
    assert counted == {"resource": 4, "subject": 2, "action": 1}
    assert value(after, "writ_cache_lookups_total", cache="filters", result="hit") > 0


def test_the_address_without_a_credential_has_the_same_sums_and_nothing_else(server: Server) -> None:
    found = OPEN_ADDRESS.search(server.log)
    assert found
    with httpx.Client(base_url=found[1]) as anybody:
        assert decisions(samples_in(anybody.get("/metrics").text)) == decisions(samples(server))
        assert anybody.head("/metrics").content == b""
        assert anybody.get("/healthz").json()["status"] == "ok"
        assert anybody.post("/metrics").status_code == 405
        for path in (SINGLE, "/openapi.json", "/v1/environments", "/readyz", "/", "/gateway/nginx", "/console/"):
            for method in ("GET", "POST"):
                answer = anybody.request(method, path, headers={"Authorization": f"Bearer {KEY}"})
                assert (answer.status_code, answer.json()) == (404, {"error": "there is no such path"})


def test_who_may_read_the_metrics(server: Server) -> None:
    with server.client() as admin, httpx.Client(base_url=server.url) as client:
        assert client.get("/metrics").status_code == 401
        assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 401
        made = admin.post("/v1/api-keys", json={"name": "scraper", "scopes": ["read"]}).json()
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {made['key']}"})
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
        found = samples(server)
        assert value(found, "writ_http_requests_total", route="/metrics", status="401") >= 2
        assert value(found, "writ_refused_credentials_total", result="refused") >= 1


def test_a_bound_credential_sees_its_environments_alone(server: Server) -> None:
    ask(server, post(f"/environments/staging{SINGLE}", question()), post(SINGLE, question()))
    with server.client() as admin, httpx.Client(base_url=server.url) as client:
        body = {"name": "bound", "scopes": ["admin"], "environments": ["staging"]}
        key = admin.post("/v1/api-keys", json=body).raise_for_status().json()["key"]
        text = client.get("/metrics", headers={"Authorization": f"Bearer {key}"}).text
    found = samples_in(text)
    assert value(found, "writ_decisions_total", environment="staging") >= 1
    assert {dict(labels).get("environment") for _, labels in found} == {"staging"}
    assert "default" not in text
    assert not any(name.startswith(("writ_http", "writ_store", "writ_audit", "writ_cache")) for name, _ in found)


def test_a_deleted_environment_disappears_and_the_next_of_its_name_begins_with_0(server: Server) -> None:
    path = f"/environments/short{SINGLE}"
    with server.client() as admin:
        admin.post("/v1/environments", json={"id": "short"}).raise_for_status()
        ask(server, post(path, question()))
        assert decisions(samples(server), "short") == {"NO_POLICY_MATCH": 1}
        admin.delete("/v1/environments/short").raise_for_status()
        assert decisions(samples(server), "short") == {}
        admin.post("/v1/environments", json={"id": "short"}).raise_for_status()
        assert decisions(samples(server), "short") == {}
        ask(server, post(path, question()), post(path, question()))
        assert decisions(samples(server), "short") == {"NO_POLICY_MATCH": 2}
        admin.delete("/v1/environments/short").raise_for_status()


def test_changes_are_counted_and_the_revision_is_told(server: Server) -> None:
    before = samples(server)
    with server.client() as admin:
        for number in range(3):
            admin.post(f"{DEFAULT}/roles", json={"id": f"role{number}"}).raise_for_status()
        revision = admin.get("/readyz").json()["revision"]
    assert wait_until(lambda: value(samples(server), "writ_revision", environment="default") == revision)
    after = samples(server)
    commits = value(after, "writ_commit_to_in_force_seconds_count") - value(
        before, "writ_commit_to_in_force_seconds_count"
    )
    assert commits == 3
    writes = "writ_store_transaction_duration_seconds_count"
    assert value(after, writes, access="write") - value(before, writes, access="write") >= 1
    assert value(after, "writ_store_size_bytes", file="database") > 0
    assert value(after, "writ_audit_entries") > value(before, "writ_audit_entries") > 0
    assert value(after, "writ_audit_size_bytes") > value(before, "writ_audit_size_bytes") > 0
    since = value(after, "writ_revision_in_force_timestamp_seconds", environment="default")
    assert since > 1.7e9


def test_the_surroundings_are_told(server: Server) -> None:
    """A service without a backup says 0, so that an alert comes. The numbers of processes are those of them all."""
    assert wait_until(lambda: value(samples(server), "writ_audit_seal_timestamp_seconds") > 1.7e9)
    found = samples(server)
    assert value(found, "writ_backup_timestamp_seconds") == 0
    assert 0 < value(found, "writ_disk_free_bytes") <= value(found, "writ_disk_size_bytes")
    assert not any(name.startswith("writ_tls") for name, _ in found), "it has no TLS"
    assert value(found, "process_resident_memory_bytes") > WORKERS * 10e6
    assert 0 < value(found, "process_open_fds") < value(found, "process_max_fds")
    assert value(found, "process_cpu_seconds_total") > 0
    assert value(found, "process_start_time_seconds") < value(found, "writ_audit_seal_timestamp_seconds") + 1


def test_what_can_not_be_read_is_counted_apart(server: Server) -> None:
    before = samples(server)
    with RawConnection(server.host, server.port) as raw:
        raw.send(b"GET / HTTP/9.9 nonsense\r\n\r\n")
        status = str(raw.answer().status)
    after = samples(server)
    name = "writ_http_refusals_total"
    assert value(after, name, status=status) - value(before, name, status=status) == 1


def test_open_connections_are_told(server: Server) -> None:
    with ExitStack() as stack:
        for _ in range(6):
            raw = stack.enter_context(RawConnection(server.host, server.port))
            raw.send(post(SINGLE, question()))
            raw.answer()
        assert wait_until(lambda: value(samples(server), "writ_http_connections", state="idle") >= 6)


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed")
def test_promtool_has_no_objection_to_the_text(server: Server) -> None:
    with server.client() as client:
        text = client.get("/metrics").content
    done = subprocess.run([str(PROMTOOL), "check", "metrics"], input=text, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_counter_falls_when_workers_are_killed(server: Server) -> None:
    for kills in range(1, WORKERS + 1):
        for _ in range(4):
            ask(server, *[post(SINGLE, question())] * 5)
        before = samples(server)
        gone = children(server.process.pid)[:kills]
        for victim in gone:
            os.kill(victim, signal.SIGKILL)
        _replaced(server, gone)
        after = wait_until(lambda: _metrics_after_trouble(server))
        assert isinstance(after, dict)
        assert value(after, "writ_workers") == WORKERS
        assert _grown(before, after, "writ_worker_starts_total") == kills
        assert _grown(before, after, "writ_worker_losses_total") == kills
        assert decisions(after) == decisions(before)
        _refuse_fallen(before, after)
        for _ in range(4):
            ask(server, *[post(SINGLE, question())] * 5)
        assert decisions(samples(server)) - decisions(after) == {"ALLOWED": 20}


def test_no_counter_falls_at_a_reload(server: Server) -> None:
    ask(server, *[post(SINGLE, question())] * 5)
    for _ in range(2):
        before, old = samples(server), children(server.process.pid)
        server.process.send_signal(signal.SIGHUP)
        _replaced(server, old)
        after = wait_until(lambda: _metrics_after_trouble(server))
        assert isinstance(after, dict)
        assert _grown(before, after, "writ_worker_starts_total") == WORKERS
        assert _grown(before, after, "writ_worker_losses_total") == 0
        assert decisions(after) == decisions(before)
        _refuse_fallen(before, after)


def _grown(before: Samples, after: Samples, name: str) -> float:
    return value(after, name) - value(before, name)


def _metrics_after_trouble(server: Server) -> Samples | None:
    """The metrics, once all workers are counted. A worker that ends may close a connection without an answer."""
    try:
        found = samples(server)
    except httpx.TransportError:
        return None
    return found if value(found, "writ_workers") == WORKERS else None


def _refuse_fallen(before: Samples, after: Samples) -> None:
    counters = ("_total", "_count", "_bucket", "_sum")
    fallen = {key: (was, after.get(key)) for key, was in before.items() if key[0].endswith(counters)}
    assert {key: pair for key, pair in fallen.items() if pair[1] is None or pair[1] < pair[0]} == {}


def _replaced(server: Server, gone: list[int]) -> None:
    """Wait until other workers took the places of those that are gone."""

    def is_done() -> bool:
        living = children(server.process.pid)
        return len(living) == WORKERS and not {*living} & {*gone}

    assert wait_until(is_done)


def test_an_address_that_is_taken_keeps_the_service_from_starting(server: Server, tmp_path: Path) -> None:
    taken = f"{server.host}:{server.port}"
    line = command("serve", "--data", str(tmp_path / "data"), "--bind", "127.0.0.1:0", "--metrics-bind", taken)
    done = subprocess.run(line, env=environment({"WRIT_ADMIN_KEY": KEY}), capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert f"`{taken}` is already in use; choose another address with `--metrics-bind`" in done.stderr


@pytest.mark.agent
def test_an_agent_has_the_metrics_of_its_decisions(tmp_path: Path) -> None:
    model = {name: rows for name, rows in MODEL.items() if name != "model"}
    bundle = bundle_file(model, tmp_path / "m.bundle")
    options = ("--bundle", str(bundle), "--unsigned", "--bind", "127.0.0.1:0", "--workers", "2")
    line = command("agent", *options)
    with started(line, environment({"WRIT_METRICS_BIND": "127.0.0.1:0"}), tmp_path / "agent.log", tmp_path) as agent:
        ask(agent, *[post(SINGLE, question())] * 7)
        ask(agent, post(BATCH, {"evaluations": [question("mallory"), {}]}))
        ask(agent, post(RESOURCES, question() | {"options": {"return": "filter"}}))
        for since in ("last_contact", "confirmed"):
            assert wait_until(lambda name=since: value(samples(agent), f"writ_agent_{name}_timestamp_seconds") > 0)
        assert wait_until(lambda: value(samples(agent), "writ_workers") == 2), "the second worker may start later"
        found = samples(agent)
        assert decisions(found, "(none)") == {"ALLOWED": 7, "ACTION_NOT_PERMITTED": 1, "error": 1}
        assert value(found, "writ_searches_total", search="resource") == 1
        assert value(found, "writ_workers") == 2
        assert wait_until(lambda: value(samples(agent), "writ_ready") == 1)
        elsewhere = ("writ_store", "writ_audit", "writ_bundle", "writ_backup", "writ_disk")
        assert not any(name.startswith(elsewhere) for name, _ in found)
        assert value(found, "process_open_fds") > 0
        where = OPEN_ADDRESS.search(agent.log)
        assert where
        assert decisions(samples_in(httpx.get(f"{where[1]}/metrics").text), "(none)") == decisions(found, "(none)")
        assert httpx.post(f"{where[1]}{SINGLE}", json=question()).status_code == 404
