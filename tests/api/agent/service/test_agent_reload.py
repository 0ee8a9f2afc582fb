"""Reloads and a drained stop of an agent lose no request of busy clients, plain and over TLS (RFC 9112, 9.6)."""

import json
import signal
from pathlib import Path

import pytest

from tests.api.agent.service.test_agent import ROLES, question
from tests.support.busy_clients import BusyClients
from tests.support.certificates import Authority
from tests.support.command import writ
from tests.support.processes import children
from tests.support.raw_http import request
from tests.support.server import command, environment, started
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

CLIENTS = 40
QUESTION = request("POST", "/access/v1/evaluation", json.dumps(question("alice")).encode(), key="anything")


@pytest.mark.parametrize("transport", ["plain", "tls"])
def test_nothing_is_lost(tmp_path: Path, transport: str) -> None:
    (tmp_path / "model.json").write_text(json.dumps(ROLES))
    bundle = tmp_path / "model.bundle"
    assert writ("compile", tmp_path / "model.json", "-o", bundle).returncode == 0
    line = command("agent", "--bundle", str(bundle), "--unsigned", "--workers", "2", "--bind", "127.0.0.1:0")
    options, trust = ["--drain-seconds", "1"], None
    if transport == "tls":
        authority = Authority(tmp_path, "authority")
        options, trust = [*options, *authority.pair("server").options], authority.trust()
    with (
        started([*line, *options], environment(), tmp_path / "log", tmp_path, trust) as server,
        BusyClients(server, QUESTION, CLIENTS, trust).asking() as clients,
    ):
        for _ in range(2):
            before = children(server.process.pid)
            clients.go_on()
            server.process.send_signal(signal.SIGHUP)
            assert wait_until(lambda seen=before: not {*seen} & {*children(server.process.pid)}) is True
        clients.go_on()
        assert server.stop() == 0
    print(clients.counts, clients.closed)
    assert (clients.counts.pop("lost", 0), clients.reasons) == (0, [])
    assert {*clients.counts} == {"200"}
    assert clients.counts["200"] > CLIENTS
    assert clients.closed > 0
