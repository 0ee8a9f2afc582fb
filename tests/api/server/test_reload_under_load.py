"""Reloads, an ignored signal and a drained stop lose no request of busy clients, plain and over TLS (RFC 9112, 9.6)."""

import json
import signal
from pathlib import Path

import pytest

from tests.api.conftest import ALLOWED
from tests.support.busy_clients import BusyClients
from tests.support.certificates import Authority
from tests.support.processes import children
from tests.support.raw_http import request
from tests.support.server import KEY, Server, running
from tests.support.waiting import wait_until

pytestmark = pytest.mark.service

CLIENTS = 40
LANE = request("POST", "/access/v1/evaluation", json.dumps(ALLOWED).encode(), key=KEY)
APPLICATION = request("GET", "/v1/environments/default/roles", key=KEY)


@pytest.fixture(params=["plain", "tls"])
def server(request: pytest.FixtureRequest, tmp_path: Path, model_file: Path):
    options, trust = ["--import", str(model_file), "--drain-seconds", "1"], None
    if request.param == "tls":
        authority = Authority(tmp_path, "authority")
        options, trust = [*options, *authority.pair("server").options], authority.trust()
    with running(tmp_path / "data", *options, workers=2, trust=trust) as started:
        yield started


@pytest.mark.parametrize("question", [LANE, APPLICATION], ids=["lane", "application"])
def test_nothing_is_lost(server: Server, question: bytes) -> None:
    with BusyClients(server, question, CLIENTS, server.trust).asking() as clients:
        for number in (signal.SIGHUP, signal.SIGUSR2, signal.SIGHUP):
            before = children(server.process.pid)
            clients.go_on()
            server.process.send_signal(number)
            if number == signal.SIGHUP:
                assert wait_until(lambda seen=before: not {*seen} & {*children(server.process.pid)}) is True
        clients.go_on()
        assert server.stop() == 0
    print(clients.counts, clients.closed)
    assert (clients.counts.pop("lost", 0), clients.reasons) == (0, [])
    assert {*clients.counts} == {"200"}
    assert clients.counts["200"] > CLIENTS
    assert clients.closed > 0
