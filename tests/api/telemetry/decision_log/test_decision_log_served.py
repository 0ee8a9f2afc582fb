"""The decision log of real servers: every way of asking, several workers, rotation, full sinks and stops."""

import json
import os
import signal
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.conftest import ALICE, ALLOWED, DENIED, PLAN, READ
from tests.support.bundling import bundle_file
from tests.support.command import writ
from tests.support.decision_logs import Collector, Record, records
from tests.support.processes import children
from tests.support.server import KEY, Server, command, environment, running, started
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

ID = "Writ-Decision-Id"
SINGLE, BATCH, SEARCH = "/access/v1/evaluation", "/access/v1/evaluations", "/access/v1/search/resource"
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read", "update", "delete"]}],
    "resources": [{"type": "document", "id": "d1"}, {"type": "document", "id": "d2"}],
    "policies": [
        {
            "id": "own",
            "effect": "ALLOW",
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
            "conditions": {"subject_attrs": [{"key": "id", "op": "eq", "value": "alice"}]},
        }
    ],
    "routes": [
        {
            "id": "r",
            "methods": ["GET"],
            "path": "/documents/{id}",
            "resource_type": "document",
            "action": "read",
            "attributes": {"token": "header:Authorization", "tenant": "header:X-Tenant"},
        }
    ],
}
GATEWAY = {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": ["127.0.0.1"]}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(MODEL))
    return path


def logging_to(target: object, more: Mapping[str, str] | None = None) -> dict[str, str]:
    return {"WRIT_DECISION_LOG": str(target), **(more or {})}


def written(path: Path, count: int) -> list[Record]:
    """The records of a file, once there are so many."""
    wait_until(lambda: path.exists() and path.read_bytes().count(b"\n") >= count)
    found = records(path)
    assert len(found) == count, found
    return found


def test_each_answer_names_its_decision_as_its_record_does(tmp_path: Path, model: Path) -> None:
    """The lane's, the application's, those of gateways, and those of a service without a log. Errors name none."""
    log, twice = tmp_path / "log", [("X-Nothing", "1"), ("X-Nothing", "2")]
    filtered = {"subject": ALICE, "action": READ, "resource": {"type": "document"}, "options": {"return": "filter"}}
    told = []
    with running(tmp_path / "data", "--import", str(model), "--decision-log", str(log)) as server:
        with server.client() as client:
            assert client.put("/v1/environments/default/gateway", json=GATEWAY).status_code == 200
            short = {"subject": "user:alice", "action": "read", "resource": "document:d1"}
            bodies = ((SINGLE, DENIED), (SEARCH, filtered), ("/v1/authorize", short))
            for headers in ([], twice):
                told += [client.post(path, json=body, headers=headers).headers[ID] for path, body in bodies]
            batch = client.post(BATCH, json={"evaluations": [ALLOWED, DENIED]}).headers[ID]
            told += [f"{batch}.0", f"{batch}.1"]
            assert ID not in client.post(SINGLE, json={"subject": 5}).headers
        told.append(found_by_gateway(server, {"Authorization": "Bearer a-users-token"}).headers[ID])
        assert [record["decision_id"] for record in written(log, len(told))] == told
        line = ["explain", "--data", tmp_path / "data", "--log", log, "--id"]
        assert writ(*line, f"{batch}.1").stdout.startswith(b"May user `bob` do `read` on document `d1`?\nDenied (COND")
        assert b"`--log FILE" in writ("explain", "--data", tmp_path / "data", "--input", log).stderr
        assert f"`{batch}` is a batch: give the id of one of its items, such as `{batch}.0`" in (
            writ(*line, batch).stderr.decode()
        )
        search, none, cut = writ(*line, told[1]), writ(*line, "x"), writ(*line, told[-1])
    assert (search.returncode, none.returncode, cut.returncode) == (2, 2, 2)
    assert b"is a search" in search.stderr
    assert b"no record with the decision id `x`" in none.stderr
    assert b"lacks a part of its request" in cut.stderr


def test_a_service_without_a_log_names_decisions_too(server: Server) -> None:
    with server.client() as client:
        first, second = (client.post(SINGLE, json=DENIED).headers[ID] for _ in range(2))
    assert first != second


def test_every_way_of_asking_is_logged_with_the_answer_that_was_sent(tmp_path: Path, model: Path) -> None:
    """The lane's and the application's: a header that comes twice leads to the latter."""
    log = tmp_path / "log"
    with running(tmp_path / "data", "--import", str(model), "--decision-log", str(log)) as server:
        twice = [("X-Nothing", "1"), ("X-Nothing", "2"), ("X-Request-ID", "r7")]
        sent: list[Any] = []
        with server.client() as client:
            assert client.put("/v1/environments/default/gateway", json=GATEWAY).status_code == 200
            for headers in ([("X-Request-ID", "r7")], twice):
                batch = {"subject": ALICE, "action": READ, "evaluations": [{"resource": PLAN}, {"resource": {}}]}
                filtered = {"subject": ALICE, "action": READ, "resource": {"type": "document"}}
                sent += [
                    (ALLOWED, client.post(SINGLE, json=ALLOWED, headers=headers).json()),
                    (DENIED, client.post(BATCH, json=DENIED, headers=headers).json()),
                ]
                items = client.post(BATCH, json=batch, headers=headers).json()["evaluations"]
                parts = {"subject": ALICE, "action": READ}
                sent += [(parts | {"resource": PLAN}, items[0]), (parts | {"resource": {}}, items[1])]
                search = filtered | {"options": {"return": "filter"}}
                sent.append((search, client.post(SEARCH, json=search, headers=headers).json()))
                found = client.post(SEARCH, json=filtered, headers=headers).json()
                sent.append((filtered, found | {"results": len(found["results"])}))
            short = client.post(
                "/v1/authorize", json={"subject": "user:alice", "action": "read", "resource": "document:d1"}
            )
            assert short.json()["allowed"]
            sent.append((ALLOWED, sent[0][1]))
            many = [{"subject": "user:alice", "action": "read", "resource": "document:d1"}]
            client.post("/v1/authorize", json={"requests": many})
            sent.append((ALLOWED, sent[0][1]))
            people = {"subject": {"type": "user"}, "action": READ, "resource": PLAN}
            sent.append((people, client.post("/access/v1/search/subject", json=people).json() | {"results": 0}))
            actions = {"subject": ALICE, "resource": PLAN}
            sent.append((actions, client.post("/access/v1/search/action", json=actions).json() | {"results": 1}))
            client.post(SINGLE, json={"subject": 5})  # refused, so there is no decision
            assert client.post(SINGLE, json=ALLOWED, headers={"Authorization": "Bearer wrong"}).status_code == 401
        checked = found_by_gateway(server, {"X-Tenant": "t", "Authorization": "Bearer a-users-token"})
        assert checked.status_code == 200
        logged = written(log, len(sent) + 1)
    assert [(record["request"], record["answer"]) for record in logged[:-1]] == sent
    assert {record["kind"] for record in logged} == {"evaluation", "item", "search"}
    assert {record["caller"] for record in logged} == {"admin-key"}
    assert [record["request_id"] for record in logged[:12]] == ["r7"] * 12
    gateway = logged[-1]
    assert gateway["request"]["resource"] == {"type": "document", "id": "d1", "properties": {"tenant": "t"}}
    assert gateway["cut"]
    assert "token" not in log.read_text()
    assert KEY not in log.read_text()
    assert len({record["decision_id"] for record in logged}) == len(logged)


def found_by_gateway(server: Server, headers: Mapping[str, str]) -> httpx.Response:
    asked = {"X-Writ-Authorization": f"Bearer {KEY}", "X-Writ-Subject": "user:alice", "X-Original-Method": "GET"}
    asked |= {"X-Original-URL": "https://shop.example/documents/d1", "X-Original-URI": "/documents/d1", **headers}
    return httpx.get(f"{server.url}/gateway/nginx", headers=asked)


def test_replay_decides_the_same_from_the_log_of_a_server(tmp_path: Path, model: Path) -> None:
    log = tmp_path / "log"
    with running(tmp_path / "data", "--import", str(model), settings=logging_to(log)) as server:
        with server.client() as client:
            for request in (ALLOWED, DENIED):
                client.post(SINGLE, json=request)
                client.post(SEARCH, json={**request, "options": {"return": "filter"}})
        written(log, 4)
    done = writ("replay", log, bundle_file(MODEL, tmp_path / "same.bundle"), "--format", "json")
    assert json.loads(done.stdout) | {"records": 4, "same": 4, "changed": 0} == json.loads(done.stdout)
    assert done.returncode == 0
    done = writ("replay", log, bundle_file(MODEL | {"policies": []}, tmp_path / "other.bundle"), "--format", "json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["changed"], found["same"]) == (1, 3, 1)


def test_several_workers_log_each_decision_once_while_the_file_is_rotated(tmp_path: Path, model: Path) -> None:
    """By a rename alone, by SIGHUP to the service, and by a worker that is replaced."""
    log, asked = tmp_path / "log", []
    with running(tmp_path / "data", "--import", str(model), workers=3, settings=logging_to(log)) as server:
        over = threading.Event()

        def more_than(count: int) -> None:
            wait_until(lambda: len(asked) > count)

        def ask(place: int) -> None:
            with server.client() as client:
                number = 0
                while not over.is_set():
                    id = f"{place}-{number}"
                    try:
                        answer = client.post(SINGLE, json=ALLOWED | {"resource": PLAN | {"id": id}})
                    except httpx.TransportError:  # the old worker has closed the connection
                        continue
                    assert answer.status_code == 200
                    asked.append(id)
                    number += 1

        threads = [threading.Thread(target=ask, args=(place,)) for place in range(8)]
        for thread in threads:
            thread.start()
        for number in range(4):
            more_than(len(asked) + 150)
            wait_until(log.exists)  # it may be that no worker wrote since the last time
            log.rename(tmp_path / f"log.{number}")
            if number == 1:
                old = {*children(server.process.pid)}
                server.process.send_signal(signal.SIGHUP)
                wait_until(lambda old=old: not old & {*children(server.process.pid)})
            if number == 2:
                os.kill(children(server.process.pid)[0], signal.SIGTERM)
        more_than(len(asked) + 150)
        over.set()
        for thread in threads:
            thread.join()
    logged = records(*tmp_path.glob("log*"))
    ids = [record["request"]["resource"]["id"] for record in logged]
    assert len(ids) == len(set(ids))
    assert set(asked) <= set(ids)
    assert len(set(ids) - set(asked)) <= 8  # decided, and the connection ended before the answer came
    assert len({record["decision_id"] for record in logged}) == len(logged)
    assert len({record["decision_id"].partition("-")[0] for record in logged}) > 3


def test_standard_output_has_whole_records_of_all_workers(tmp_path: Path, model: Path) -> None:
    log = tmp_path / "messages"
    line = command("serve", "--data", str(tmp_path / "data"), "--import", str(model), "--bind", "127.0.0.1:0")
    line = ["sh", "-c", f'exec "$@" >"{tmp_path}/out"', "sh", *line, "--workers", "2", "--decision-log", "-"]
    with started(line, environment({"WRIT_ADMIN_KEY": KEY}), log, tmp_path) as server:
        for _ in range(8):  # each client has a connection, so both workers get some
            with server.client() as client:
                items = [{"resource": PLAN | {"properties": {"x": "y" * 3_000}}}] * 50
                client.post(BATCH, json={"subject": ALICE, "action": READ, "evaluations": items})
        written(tmp_path / "out", 400)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_drops_records_and_tells_it(tmp_path: Path, model: Path) -> None:
    settings = logging_to("/dev/full", {"WRIT_DECISION_LOG_BUFFER_RECORDS": "3"})
    with running(tmp_path / "data", "--import", str(model), settings=settings) as server, server.client() as client:
        answers = [client.post(SINGLE, json=ALLOWED) for _ in range(20)]
        assert {answer.status_code for answer in answers} == {200}
        assert wait_until(lambda: "the decision log is full: 1" in server.log), server.log
        assert "/dev/full: no space left on device" in server.log
    assert "the decision log is incomplete" in server.log
    assert "Traceback" not in server.log


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_decisions_without_a_record_are_refused_in_every_way_of_asking(tmp_path: Path, model: Path) -> None:
    more = {"WRIT_DECISION_LOG_BUFFER_RECORDS": "3", "WRIT_DECISION_LOG_WHEN_FULL": "refuse"}
    settings = logging_to("/dev/full", more | {"WRIT_DECISION_LOG_STOP_SECONDS": "0.5"})
    with running(tmp_path / "data", "--import", str(model), settings=settings) as server, server.client() as client:
        assert client.put("/v1/environments/default/gateway", json=GATEWAY).status_code == 200
        assert [client.post(SINGLE, json=ALLOWED).status_code for _ in range(5)] == [200, 200, 200, 503, 503]
        batch = {"evaluations": [ALLOWED]}
        search = {"subject": ALICE, "action": READ, "resource": {"type": "document"}}
        people = {"subject": {"type": "user"}, "action": READ, "resource": PLAN}
        short = {"subject": "user:alice", "action": "read", "resource": "document:d1"}
        for path, body in (
            (BATCH, batch),
            (BATCH, ALLOWED),
            (SINGLE, ALLOWED | {"options": {"explain": True}}),
            (SEARCH, search),
            (SEARCH, search | {"options": {"return": "filter"}}),
            ("/access/v1/search/subject", people),
            ("/access/v1/search/action", {"subject": ALICE, "resource": PLAN}),
            ("/v1/authorize", short),
            ("/v1/authorize", {"requests": [short]}),
        ):
            answer = client.post(path, json=body)
            assert answer.status_code == 503, path
            assert "the decision log is full" in answer.json()["error"]
            assert answer.headers["Retry-After"]
        assert found_by_gateway(server, {}).status_code == 503
        assert client.get("/v1/environments").status_code == 200
        assert client.get("/readyz").status_code == 200


def test_a_collector_that_fails_and_comes_back_gets_all(tmp_path: Path, model: Path) -> None:
    with Collector().serving() as collector:
        more = {"WRIT_DECISION_LOG_BATCH_SECONDS": "0.1", "WRIT_DECISION_LOG_SHAPE": "opa"}
        settings = logging_to(collector.url, more)
        service = running(tmp_path / "data", "--import", str(model), settings=settings)
        with service as server, server.client() as client:
            client.post(SINGLE, json=ALLOWED)
            assert wait_until(lambda: len(collector.taken) == 1)
            collector.status = 500
            for _ in range(10):
                client.post(SINGLE, json=DENIED)
            assert wait_until(lambda: collector.refused > 1)
            collector.status = 200
            assert wait_until(lambda: len(collector.taken) == 11)
            assert "the collector answered 500" in server.log
            client.post(SINGLE, json=ALLOWED)
        assert len(collector.taken) == 12  # a stop sends what waits
    assert collector.taken[0]["input"] == ALLOWED
    assert collector.taken[0]["result"]["decision"] is True


def test_a_sink_that_is_slow_delays_no_decision_and_no_stop(tmp_path: Path, model: Path) -> None:
    """Nobody reads the pipe: the writer waits for good."""
    line = command("serve", "--data", str(tmp_path / "data"), "--import", str(model), "--bind", "127.0.0.1:0")
    line += ["--workers", "1", "--decision-log", "-"]
    settings = environment({"WRIT_ADMIN_KEY": KEY, "WRIT_DECISION_LOG_STOP_SECONDS": "1"})
    with (tmp_path / "messages").open("wb") as messages:
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=messages, env=settings, cwd=tmp_path)
    try:
        server = Server(process, tmp_path / "messages", KEY)
        with server.client() as client:
            large = ALLOWED | {"context": {"x": "y" * 60_000}}
            assert {client.post(SINGLE, json=large, timeout=5).status_code for _ in range(100)} == {200}
        assert server.stop() == 0
        assert "calls were not written in 1 s" in server.log
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def test_a_killed_worker_leaves_whole_records(tmp_path: Path, model: Path) -> None:
    log = tmp_path / "log"
    with running(tmp_path / "data", "--import", str(model), settings=logging_to(log)) as server:
        with server.client() as client:
            client.post(SINGLE, json=ALLOWED)
            written(log, 1)
            os.kill(children(server.process.pid)[0], signal.SIGKILL)
        assert wait_until(lambda: asked_again(server))
        written(log, 2)


def asked_again(server: Server) -> bool:
    try:
        with server.client() as client:
            return client.post(SINGLE, json=ALLOWED).status_code == 200
    except httpx.TransportError:
        return False


def test_masks_and_shares_are_settings(tmp_path: Path, model: Path) -> None:
    log = tmp_path / "log"
    masks = {"default": [{"path": "$.subject.properties.email", "do": "hash"}, {"path": "$.context.ip", "do": "drop"}]}
    more = {"WRIT_DECISION_LOG_MASKS": json.dumps(masks), "WRIT_DECISION_LOG_PERMITS": "0"}
    question = DENIED | {"subject": DENIED["subject"] | {"properties": {"email": "bob@example.com"}}}
    question |= {"context": {"ip": "203.0.113.7"}}
    for _ in range(2):  # the key of the hashes outlasts a restart
        service = running(tmp_path / "data", "--import", str(model), settings=logging_to(log, more))
        with service as server, server.client() as client:
            client.post(SINGLE, json=question)
            client.post(SINGLE, json=ALLOWED)
    first, second = written(log, 2)
    assert first["masked"]
    assert first["request"]["context"] == {}
    assert first["request"] == second["request"]
    assert "bob@example.com" not in log.read_text()
    assert "203.0.113.7" not in log.read_text()
    done = writ("replay", log, bundle_file(MODEL, tmp_path / "b"), "--format", "json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["masked"] == 2


def test_an_agent_logs_too(tmp_path: Path) -> None:
    path, log = bundle_file(MODEL, tmp_path / "model.bundle"), tmp_path / "log"
    line = command("agent", "--bundle", str(path), "--unsigned", "--bind", "127.0.0.1:0", "--workers", "1")
    with started([*line, "--decision-log", str(log)], environment(), tmp_path / "messages", tmp_path) as agent:
        httpx.post(agent.url + SINGLE, json=ALLOWED)
        search = {"subject": ALICE, "action": READ, "resource": {"type": "document"}, "options": {"return": "filter"}}
        httpx.post(agent.url + SEARCH, json=search)
        first, second = written(log, 2)
    assert (first["environment"], first["caller"], first["policy_id"]) == (None, "anyone", "own")
    assert second["kind"] == "search"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"WRIT_DECISION_LOG": "/nowhere/log"}, "/nowhere/log: no such file or directory"),
        ({"WRIT_DECISION_LOG": "http://collector.example/"}, "must begin with `https://`"),
        ({"WRIT_DECISION_LOG": "https://user:pw@collector.example/"}, "without a user"),
        ({"WRIT_DECISION_LOG": "-", "WRIT_DECISION_LOG_MASKS": "{"}, "can't be read"),
        ({"WRIT_DECISION_LOG": "-", "WRIT_DECISION_LOG_MASKS": "none.json"}, "none.json: no such file"),
        ({"WRIT_DECISION_LOG_PERMITS": "2"}, "must be a share from 0 to 1"),
        ({"WRIT_DECISION_LOG_WHEN_FULL": "wait"}, "`drop` or `refuse`"),
    ],
)
def test_a_log_that_can_not_be_made_keeps_the_service_from_starting(
    tmp_path: Path, settings: dict[str, str], message: str
) -> None:
    ended = writ(
        "serve", "--bind", "127.0.0.1:0", "--data", tmp_path / "data", settings={"WRIT_ADMIN_KEY": KEY, **settings}
    )
    assert ended.returncode == 2
    assert message in ended.stderr.decode()
    assert "Traceback" not in ended.stderr.decode()
    assert "pw" not in ended.stderr.decode()
