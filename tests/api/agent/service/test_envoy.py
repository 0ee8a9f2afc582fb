"""Envoy asks an agent over gRPC: the service's answers, and the callers that the agent admits."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.command import writ
from tests.support.envoy_checks import Answer, check_request, code_of, envoy
from tests.support.server import KEY, Server, command, environment, running, started
from tests.support.waiting import wait_until

grpc = pytest.importorskip("grpc", reason="grpcio is not installed")
pytestmark = pytest.mark.agent

ROOT = "/v1/environments/default"
LISTENS = ("--envoy-bind", "127.0.0.1:0")
GRANT: dict[str, Any] = {
    "id": "alice-d1",
    "subject": {"type": "user", "id": "alice"},
    "resource": {"type": "document", "id": "d1"},
    "actions": ["read"],
}
ROUTE = {"id": "read", "methods": ["GET"], "path": "/documents/{id}", "resource_type": "document", "action": "read"}
TYPE = {"id": "document", "actions": ["read"]}
MODEL = {"model": 1, "resource_types": [TYPE], "grants": [GRANT], "routes": [ROUTE]}
SETTINGS = {
    "subject": {"header": "X-Writ-Subject"},
    "trusted_proxies": ["127.0.0.1"],
    "response_headers": {"X-Writ-Policy-Id": "policy_id"},
}
CHECKS = [
    check_request(method, path, [("x-writ-subject", subject)])
    for method, path in (("GET", "/documents/d1"), ("GET", "/documents/d1/../d2"), ("PUT", "/documents/d1"))
    for subject in ("user:alice", "user:mallory", "")
]


def answers(server: Server, key: str | None = KEY) -> list[Answer]:
    """Returns the answers of a server to every check."""
    with envoy(server.envoy_port, key) as client:
        return [client.send(message) for message in CHECKS]


def test_an_agent_answers_envoy_as_the_service(tmp_path: Path) -> None:
    """Also after a change, and while the service is away. It admits its own credential."""
    with running(tmp_path / "data", *LISTENS) as service, service.client() as http:
        http.put(f"{ROOT}/model", json=MODEL).raise_for_status()
        http.put(f"{ROOT}/gateway", json=SETTINGS).raise_for_status()
        http.get(f"{ROOT}/bundle", timeout=60).raise_for_status()
        (tmp_path / "key.pem").write_bytes(writ("keys", "--kind", "bundle", "--data", tmp_path / "data").stdout)
        (tmp_path / "token").write_text(KEY)
        source = (
            "--upstream",
            service.url,
            "--token-file",
            str(tmp_path / "token"),
            "--key",
            str(tmp_path / "key.pem"),
        )
        line = command("agent", "--env", "default", *source, *LISTENS, "--bind", "127.0.0.1:0", "--workers", "2")
        line += ["--max-staleness", "5"]
        with started(line, environment(), tmp_path / "log", tmp_path) as agent:
            expected = answers(service)
            assert [answer.status for answer in expected[:3]] == [200, 403, 401]
            assert wait_until(lambda: _found(agent) == expected)
            http.delete(f"{ROOT}/grants/alice-d1").raise_for_status()
            assert wait_until(lambda: all(_found(agent) == answers(service) for _ in range(5)))
            with envoy(agent.envoy_port, "wrong") as stranger, pytest.raises(grpc.RpcError) as failure:
                stranger.send(CHECKS[0])
            assert code_of(failure) == "UNAUTHENTICATED"
            with envoy(agent.envoy_port, None) as prober:
                assert prober.health() == 1
                service.stop()
                assert wait_until(lambda: prober.health() == 2)
            assert _found(agent) is not None


def _found(server: Server) -> list[Answer] | None:
    try:
        return answers(server)
    except grpc.RpcError:
        return None


def test_an_agent_without_callers_listens_on_its_own_machine_only(tmp_path: Path) -> None:
    with running(tmp_path / "data") as service, service.client() as http:
        http.put(f"{ROOT}/model", json=MODEL).raise_for_status()
        http.put(f"{ROOT}/gateway", json=SETTINGS).raise_for_status()
        (tmp_path / "model.bundle").write_bytes(http.get(f"{ROOT}/bundle", timeout=60).content)
    source = ("agent", "--bundle", str(tmp_path / "model.bundle"), "--unsigned", "--bind", "127.0.0.1:0")
    line = command(*source, *LISTENS, "--workers", "1")
    with started(line, environment(), tmp_path / "log", tmp_path) as agent:
        assert answers(agent, None) == answers(agent)
        assert answers(agent)[0].headers == {"x-writ-policy-id": "alice-d1"}
    done = writ(*source, "--envoy-bind", "0.0.0.0:0")
    sentence = "Error: `0.0.0.0:0` can be reached from other machines; name the callers by `--callers`"
    assert (done.returncode, done.stderr.decode().strip()) == (2, sentence)
