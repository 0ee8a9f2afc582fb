"""Both load generators, in C and in Python, ask a real service, keep a rate, and notice what is lost or no 200."""

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.bench.http.busy_load import COMPILED, BusyLoad, post, write_requests
from tests.bench.http.load import Failed
from tests.bench.http.python_load import read_requests
from tests.bench.http.service import Call, Running
from tests.support.certificates import Authority
from tests.support.processes import has_read
from tests.support.server import KEY, running
from tests.support.waiting import wait_until

CORE = 0
CALL = Call(
    "/access/v1/evaluation",
    {"subject": {"type": "user", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "document", "id": "d"}},
)
HEADERS = {"Authorization": f"Bearer {KEY}"}


@pytest.fixture(scope="module", params=["C", "Python"])
def load(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> BusyLoad:
    if request.param == "Python":
        return BusyLoad.in_python(CORE)
    made = BusyLoad.made(tmp_path_factory.mktemp("load"), CORE)
    if made.name != COMPILED:
        pytest.skip("there is no C compiler, or OpenSSL's headers are missing")
    return made


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Running]]:
    folder = tmp_path_factory.mktemp("services")
    authority = Authority(folder, "authority")
    options = authority.pair("server").options
    with (
        running(folder / "plain") as plain,
        running(folder / "secure", *options, trust=authority.trust()) as secure,
    ):
        yield {
            name: Running(one.process.pid, f"{'https' if name == 'secure' else 'http'}://127.0.0.1:{one.port}", HEADERS)
            for name, one in (("plain", plain), ("secure", secure))
        }


@pytest.fixture
def requests(tmp_path: Path) -> Path:
    return write_requests([post(CALL, HEADERS)] * 3, tmp_path / "requests")


@pytest.mark.parametrize("name", ["plain", "secure"])
def test_all_answers_come(load: BusyLoad, services: dict[str, Running], name: str, requests: Path) -> None:
    figures = load.run(services[name], requests, 4, 0.3)
    assert figures.lost == 0
    assert figures.rate > 0
    assert figures.processor >= 0
    assert 0 < figures.p50 <= figures.p99 <= figures.p999


def test_an_open_loop_keeps_its_rate(load: BusyLoad, services: dict[str, Running], requests: Path) -> None:
    """A closed loop asks as fast as the answers come: thousands of times a second."""
    figures = load.run(services["plain"], requests, 4, 1.0, rate=100)
    assert 0 < figures.rate < 150
    assert figures.lost == 0


def test_an_answer_that_is_no_200_fails_the_turn(load: BusyLoad, services: dict[str, Running], tmp_path: Path) -> None:
    file = write_requests([post(CALL, HEADERS), post(CALL, {"Authorization": "Bearer wrong"})], tmp_path / "requests")
    with pytest.raises(Failed, match=r"answers of http://127\.0\.0\.1:\d+ are no 200"):
        load.run(services["plain"], file, 1, 0.3)


WITH_LENGTH = [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"]
IN_CHUNKS = [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{", b"\r\n1\r\n}\r\n0\r\n", b"\r\n"]


@contextmanager
def closing_server(pieces: list[bytes]) -> Iterator[int]:
    """A server that answers the first request of each connection, piece by piece, and then closes it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for _ in range(2):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65_536)
                    for piece in pieces:
                        connection.sendall(piece)
                        ports = connection.getpeername()[1], connection.getsockname()[1]
                        wait_until(lambda ends=ports: has_read(*ends))  # so that they come one by one

        thread = threading.Thread(target=serve)
        thread.start()
        yield int(listener.getsockname()[1])
        thread.join(10)


@pytest.mark.parametrize("pieces", [WITH_LENGTH, IN_CHUNKS])
def test_connections_that_the_server_closes_are_lost(load: BusyLoad, requests: Path, pieces: list[bytes]) -> None:
    with closing_server(pieces) as port:
        figures = load.run(Running(os.getpid(), f"http://127.0.0.1:{port}"), requests, 2, 5)
    assert figures.lost == 2
    assert figures.rate > 0


def test_requests_are_read_as_they_were_written(tmp_path: Path) -> None:
    wanted = [b"GET / HTTP/1.1\r\n\r\n", b"5\nabc\n", b""]
    assert list(read_requests(write_requests(wanted, tmp_path / "requests"))) == wanted
