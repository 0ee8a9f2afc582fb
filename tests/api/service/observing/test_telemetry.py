"""OpenTelemetry from real servers to a real collector, which reads what it gets as protobuf."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.bundling import bundle_file
from tests.support.command import writ
from tests.support.envoy_checks import envoy
from tests.support.processes import children
from tests.support.server import (
    KEY,
    ROOT,
    command,
    environment,
    hide_modules,
    running,
    started,
)
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

otlp = pytest.importorskip("tests.support.otlp", reason="the extra `otel` is not installed")

SINGLE, BATCH = "/access/v1/evaluation", "/access/v1/evaluations"
PERSON = "maria.personal"
TRACE_ID, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
TRACED = {"traceparent": f"00-{TRACE_ID}-{PARENT}-01", "tracestate": "vendor=7"}
MODEL: dict[str, Any] = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "grants": [
        {
            "id": "g",
            "subject": {"type": "user", "id": PERSON},
            "resource": {"type": "document", "id": "d1"},
            "actions": ["read"],
        }
    ],
}
ASKED = {
    "subject": {"type": "user", "id": PERSON},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}
DENIED = ASKED | {"resource": {"type": "document", "id": "d2"}}


@pytest.fixture
def collector() -> Iterator[Any]:
    with otlp.OtlpCollector().serving() as found:
        yield found


def serving(tmp_path: Path, collector: Any, *arguments: str, workers: int = 1, **settings: str) -> Any:
    return running(tmp_path / "data", *arguments, settings=collector.settings | settings, workers=workers)


def spans_of(collector: Any, name: str, count: int) -> list[Any]:
    """The spans with a name, once there are so many."""

    def found() -> list[Any]:
        return [span for span in collector.spans if span.name == name]

    assert wait_until(lambda: len(found()) >= count), [span.name for span in collector.spans]
    assert len(found()) == count
    return found()


def decisions(collector: Any) -> dict[tuple[str, str], int]:
    series = collector.latest("writ.decisions")
    assert {dict(one)["writ.environment"] for one in series} <= {"default"}
    return {(dict(one)["writ.outcome"], dict(one).get("writ.reason", "")): number for one, number in series.items()}


def answered(collector: Any) -> dict[str, int]:
    """The decision calls that were answered, by their routes."""
    series = collector.latest("http.server.request.duration")
    found = {dict(one).get("http.route", ""): number for one, number in series.items()}
    return {route: number for route, number in found.items() if route in (SINGLE, BATCH)}


def test_each_request_has_a_span_that_continues_its_trace(tmp_path: Path, collector: Any) -> None:
    with serving(tmp_path, collector) as server, server.client() as client:
        client.put("/v1/environments/default/model", json=MODEL).raise_for_status()
        before = time.time_ns()
        for _ in range(3):  # the application, and the lane
            assert client.post(SINGLE, json=ASKED, headers=TRACED).json()["decision"] is True
        client.get(f"/v1/environments/default/subjects/user/{PERSON}?x={PERSON}")
        found = spans_of(collector, f"POST {SINGLE}", 3)
        (other,) = spans_of(collector, "GET /v1/environments/{env}/subjects/{type}/{id}", 1)
        client.get(f"/v1/environments/{PERSON}/grants")
        (nowhere,) = spans_of(collector, "GET /v1/environments/{env}/grants", 1)
    assert {(span.trace_id, span.parent, span.trace_state) for span in found} == {(TRACE_ID, PARENT, "vendor=7")}
    assert len({span.span_id for span in found}) == 3
    for span in found:
        assert span.kind == 2, "a server's span"
        assert before < span.start < span.end < time.time_ns()
        assert span.attributes == {
            "http.request.method": "POST",
            "http.route": SINGLE,
            "http.response.status_code": 200,
            "url.scheme": "http",
            "writ.environment": "default",
        }
        assert span.resource["service.name"] == "writ"
        assert span.resource["telemetry.sdk.name"] == "opentelemetry"
    assert (other.parent, other.trace_id == TRACE_ID) == ("", False)
    assert "writ.environment" not in nowhere.attributes, "there is no such environment"
    assert not any(PERSON.encode() in content or KEY.encode() in content for content in collector.contents)


def test_the_metrics_are_sums_of_all_workers_and_their_successors(tmp_path: Path, collector: Any) -> None:
    """A worker leaves its counters in shared memory to its successor, which does not tell again what was told."""
    with serving(tmp_path, collector, workers=2) as server, server.client() as client:
        client.put("/v1/environments/default/model", json=MODEL).raise_for_status()

        def ask(times: int) -> None:
            for _ in range(times):
                with server.client() as own:  # a connection of its own, so that both workers answer
                    assert own.post(SINGLE, json=ASKED).json()["decision"] is True
                    assert own.post(SINGLE, json=DENIED).json()["decision"] is False

        ask(10)
        client.post(BATCH, json={"evaluations": [ASKED, {}]}).raise_for_status()
        expected = {("allow", "ALLOWED"): 11, ("deny", "NO_POLICY_MATCH"): 10, ("error", ""): 1}
        assert wait_until(lambda: decisions(collector) == expected), decisions(collector)
        assert wait_until(lambda: answered(collector) == {SINGLE: 20, BATCH: 1}), answered(collector)
        gone = children(server.process.pid)
        for process in gone:
            os.kill(process, signal.SIGKILL)
        assert wait_until(lambda: len(now := children(server.process.pid)) == 2 and not {*now} & {*gone})
        ask(5)
        expected = {("allow", "ALLOWED"): 16, ("deny", "NO_POLICY_MATCH"): 15, ("error", ""): 1}
        assert wait_until(lambda: decisions(collector) == expected), decisions(collector)
        assert wait_until(lambda: answered(collector) == {SINGLE: 30, BATCH: 1}), answered(collector)
    assert {point.unit for point in collector.points if point.metric == "http.server.request.duration"} == {"s"}
    assert {point.resource["writ.worker"] for point in collector.points} == {0, 1}


def test_a_worker_that_stops_exports_what_it_has(tmp_path: Path, collector: Any) -> None:
    late = {"OTEL_BSP_SCHEDULE_DELAY": "60000", "OTEL_METRIC_EXPORT_INTERVAL": "60000"}
    with serving(tmp_path, collector, **late) as server, server.client() as client:
        client.post(SINGLE, json=ASKED).raise_for_status()
        assert not any(span.name == f"POST {SINGLE}" for span in collector.spans)
    assert len([span for span in collector.spans if span.name == f"POST {SINGLE}"]) == 1
    assert sum(decisions(collector).values()) == 1


def test_the_variables_of_the_sdk_count(tmp_path: Path, collector: Any) -> None:
    asked = {"OTEL_SERVICE_NAME": "shop-pdp", "OTEL_TRACES_SAMPLER": "always_off", "OTEL_RESOURCE_ATTRIBUTES": "a.b=c"}
    with serving(tmp_path, collector, **asked) as server, server.client() as client:
        client.post(SINGLE, json=ASKED).raise_for_status()
        assert wait_until(lambda: collector.latest("writ.decisions"))
    assert {(point.resource["service.name"], point.resource["a.b"]) for point in collector.points} == {
        ("shop-pdp", "c")
    }
    assert collector.spans == []


def test_an_error_of_the_service_is_one_of_its_span(tmp_path: Path, collector: Any) -> None:
    with serving(tmp_path, collector) as server, server.client() as client:
        made = client.post("/v1/clients", json={"name": "c", "scopes": ["read"]}).json()
        for file in (tmp_path / "data" / "keys").iterdir():
            file.write_bytes(b"damaged")
        form = {"grant_type": "client_credentials"} | {name: made[name] for name in ("client_id", "client_secret")}
        assert httpx.post(f"{server.url}/v1/oauth/token", data=form).status_code == 500
        (span,) = spans_of(collector, "POST /v1/oauth/token", 1)
    assert (span.status, span.attributes["error.type"]) == (2, "500")


def test_gateways_and_checks_of_envoy_have_spans(tmp_path: Path, collector: Any) -> None:
    pytest.importorskip("grpc", reason="grpcio is not installed")
    gateway = {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": ["127.0.0.1"]}
    own = {"X-Writ-Authorization": f"Bearer {KEY}", "X-Writ-Subject": f"user:{PERSON}"}
    with serving(tmp_path, collector, "--envoy-bind", "127.0.0.1:0") as server, server.client() as client:
        client.put("/v1/environments/default/gateway", json=gateway).raise_for_status()
        assert httpx.get(f"{server.url}/gateway/envoy/x/{PERSON}", headers=own | TRACED).status_code == 403
        with envoy(server.envoy_port, KEY) as check:
            check.ask("GET", f"/x/{PERSON}", ("traceparent", TRACED["traceparent"]))
        (over_http,) = spans_of(collector, "GET /gateway/envoy", 1)
        (over_grpc,) = spans_of(collector, "POST /envoy.service.auth.v3.Authorization/Check", 1)
    assert {over_http.trace_id, over_grpc.trace_id} == {TRACE_ID}
    assert not any(PERSON.encode() in content for content in collector.contents)


def test_an_agent_exports_too(tmp_path: Path, collector: Any) -> None:
    bundle = bundle_file({}, tmp_path / "m.bundle")
    line = command("agent", "--bundle", str(bundle), "--unsigned", "--bind", "127.0.0.1:0", "--workers", "1")
    with started(line, environment(collector.settings), tmp_path / "agent.log", tmp_path) as agent:
        for _ in range(2):
            httpx.post(agent.url + SINGLE, json=ASKED, headers=TRACED).raise_for_status()
        found = spans_of(collector, f"POST {SINGLE}", 2)
        assert wait_until(lambda: sum(collector.latest("writ.decisions").values()) == 2)
    assert {(span.resource["service.name"], span.trace_id) for span in found} == {("writ-agent", TRACE_ID)}


def test_without_its_collector_the_service_decides_and_says_so_once(tmp_path: Path) -> None:
    with hanging_up() as (port, tries):
        away = {
            "WRIT_OTEL": "on",
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
            "OTEL_BSP_SCHEDULE_DELAY": "50",
            "OTEL_METRIC_EXPORT_INTERVAL": "50",
        }
        decides_without_its_collector(tmp_path, away, tries)


@contextmanager
def hanging_up() -> Iterator[tuple[int, list[None]]]:
    """The port of a server that ends each connection at once, and an entry for each of them."""
    tries = list[None]()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    listener.accept()[0].close()
                    tries.append(None)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield listener.getsockname()[1], tries
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def decides_without_its_collector(tmp_path: Path, away: dict[str, str], tries: list[None]) -> None:
    with running(tmp_path / "data", settings=away) as server, server.client() as client:
        for _ in range(200):
            client.post(SINGLE, json=ASKED).raise_for_status()
        assert wait_until(lambda: "OpenTelemetry:" in server.log)
        more = len(tries) + 4
        assert wait_until(lambda: len(tries) >= more)
        client.post(SINGLE, json=ASKED).raise_for_status()
        began = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - began < 40
    assert server.log.count("OpenTelemetry:") == 1
    assert "Traceback" not in server.log


def test_a_bad_variable_of_the_sdk_stops_no_decision(tmp_path: Path, collector: Any) -> None:
    bad = {"OTEL_BSP_MAX_QUEUE_SIZE": "1", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "2"}
    with serving(tmp_path, collector, **bad) as server, server.client() as client:
        client.post(SINGLE, json=ASKED).raise_for_status()
    assert "telemetry is off: ValueError: " in server.log


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "`OTEL_EXPORTER_OTLP_PROTOCOL` must be `http/protobuf`, not `grpc`"),
        ({"OTEL_TRACES_EXPORTER": "zipkin"}, "`OTEL_TRACES_EXPORTER` must be `otlp` or `none`, not `zipkin`"),
    ],
)
def test_what_writ_does_not_have_is_refused_at_the_start(
    tmp_path: Path, settings: dict[str, str], sentence: str
) -> None:
    asked = {"WRIT_ADMIN_KEY": KEY, "WRIT_OTEL": "on", **settings}
    ended = writ("serve", "--data", tmp_path / "d", "--bind", "127.0.0.1:0", settings=asked)
    assert (ended.returncode, sentence in ended.stderr.decode()) == (2, True)


def test_a_missing_extra_is_told_in_one_sentence(tmp_path: Path) -> None:
    hidden = hide_modules(tmp_path / "hidden", "opentelemetry")
    line = command("serve", "--data", str(tmp_path / "d"), "--bind", "127.0.0.1:0")
    variables = environment({"WRIT_ADMIN_KEY": KEY, "WRIT_OTEL": "on"}, (hidden,))
    ended = subprocess.run(line, env=variables, capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 2
    assert "install it by `pip install 'writ-pdp[otel]'`" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("settings", [{}, {"WRIT_OTEL": "on", "OTEL_SDK_DISABLED": "true"}])
def test_nothing_of_it_is_loaded_unless_it_is_asked_for(tmp_path: Path, settings: dict[str, str]) -> None:
    hidden = hide_modules(tmp_path / "hidden", "opentelemetry")
    with running(tmp_path / "data", settings=settings, path=(hidden,)) as server, server.client() as client:
        client.post(SINGLE, json=ASKED).raise_for_status()
    code = "import sys, writ.api.cli.serve, writ.api.cli.agent; print('opentelemetry' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == "False"


def test_a_service_without_the_setting_exports_nothing(tmp_path: Path, collector: Any) -> None:
    settings = {name: value for name, value in collector.settings.items() if name != "WRIT_OTEL"}
    with running(tmp_path / "data", settings=settings) as server, server.client() as client:
        client.post(SINGLE, json=ASKED).raise_for_status()
    assert collector.contents == [], "an exporter sends what is left when the service ends"
