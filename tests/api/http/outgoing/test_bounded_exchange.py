"""A server that sends a byte now and then holds no exchange longer than its time, in TLS, the head or the body.

Nor does a resolver that does not answer.
"""

import gc
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

import pytest
from writ.api.cli.doctor.finding import Level
from writ.api.cli.doctor.service import check_service
from writ.api.http.outgoing.bounded_exchange import BROKEN, Exchanged, exchanged
from writ.api.http.outgoing.in_time import LEFT, MOST_LEFT, TooSlow
from writ.api.identity.sign_in.provider_calls import ProviderUnavailable, called
from writ.api.telemetry.decision_log.sinks.collector import CollectorOptions, CollectorSink
from writ.api.telemetry.decision_log.sinks.sink import SinkFailed

from tests.support.dripping import drip
from tests.support.waiting import wait_until

# Python closes no socket of TLS whose connection is cut just before its handshake begins: it is left to be collected.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning")

SECONDS: Final = 0.3
"""The time of an exchange here. A drop comes more often, so no wait for a byte takes as long."""

FAR_LONGER: Final = 20.0

HEAD = b"HTTP/1.1 200 OK\r\n"
TLS_RECORD = b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc"  # the head of a handshake message that is long
DRIPS = {
    "the head": (HEAD, b"X-A: 1\r\n"),
    "one line": (HEAD + b"X-A: ", b"1"),
    "the body": (HEAD + b"Content-Length: 100000\r\n\r\n", b"1"),
    "chunks": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    "a body without an end": (HEAD + b"\r\n", b"1"),
    "the handshake": (TLS_RECORD, b"\0"),
}
"""The first bytes that a server sends, and those that it sends again and again."""


class Dripping:
    """A server that sends pieces one by one to the first who connects, until that one leaves."""

    def __init__(self, name: str) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ours, self._theirs = socket.socketpair()  # a request may come in several parts, and ends no drip
        scheme = "https" if name == "the handshake" else "http"
        self.url = f"{scheme}://127.0.0.1:{self._listener.getsockname()[1]}/x"
        self._first, self._more = DRIPS[name]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return
        with connection:
            connection.recv(65_536)
            connection.sendall(self._first)
            drip(connection, self._more, until=self._theirs)

    def end(self) -> None:
        self._ours.close()
        self._listener.close()
        self._thread.join()
        self._theirs.close()


@pytest.fixture(params=DRIPS)
def dripping(request: pytest.FixtureRequest) -> Iterator[Dripping]:
    server = Dripping(request.param)
    yield server
    server.end()
    gc.collect()


def test_it_is_cut_off_in_its_time(dripping: Dripping) -> None:
    began = time.monotonic()
    with pytest.raises(TooSlow):
        exchanged("GET", dripping.url, SECONDS, 1_000_000)
    assert time.monotonic() - began < FAR_LONGER


def test_the_calls_of_a_sign_in_are_cut_off(dripping: Dripping, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("writ.api.identity.sign_in.provider_calls.FETCH_SECONDS", SECONDS)
    with pytest.raises(ProviderUnavailable, match="it answers too slowly"):
        called("POST", dripping.url, "code=x")


def test_a_collector_is_cut_off(dripping: Dripping, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("writ.api.telemetry.decision_log.sinks.collector.CONNECT_SECONDS", SECONDS)
    monkeypatch.setattr("writ.api.telemetry.decision_log.sinks.collector.ANSWER_SECONDS", 0.0001 + SECONDS)
    sink = CollectorSink(CollectorOptions(dripping.url))
    sink.start_worker()
    with pytest.raises(SinkFailed):
        sink.send(b"{}\n")


def test_an_answer_in_time_is_read_up_to_its_limit() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(
            target=lambda: answered(listener, b"HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nabcde")
        ).start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert exchanged("GET", url, FAR_LONGER, 3) == Exchanged(201, b"abc")
    with pytest.raises(BROKEN):
        exchanged("GET", url, FAR_LONGER, 3)


def answered(listener: socket.socket, answer: bytes) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(65_536)
        connection.sendall(answer)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, list[str]]]:
    """The system's resolver stands still until the event is set. The list has the names that were looked up."""
    opened, asked, lookup = threading.Event(), list[str](), socket.getaddrinfo

    def standing(host: str, *arguments: Any, **options: Any) -> Any:
        asked.append(host)
        opened.wait()
        return lookup("127.0.0.1", *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", standing)
    yield opened, asked
    opened.set()
    assert wait_until(lambda: LEFT.count == 0) is True


def test_no_exchange_waits_for_the_lookup_of_a_name(gate: tuple[threading.Event, list[str]]) -> None:
    """Calls that are left alone are limited: then further ones are given up without a lookup, until some have ended."""
    opened, asked = gate
    for _ in range(MOST_LEFT):
        with pytest.raises(TooSlow):
            exchanged("GET", "http://slow.example/", 0.001, 10)
    assert wait_until(lambda: len(asked) == MOST_LEFT) is True
    with pytest.raises(TooSlow):
        exchanged("GET", "http://slow.example/", FAR_LONGER, 10)
    assert len(asked) == MOST_LEFT
    opened.set()
    assert wait_until(lambda: LEFT.count == 0) is True
    with socket.create_server(("127.0.0.1", 0)) as listener:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        threading.Thread(target=lambda: answered(listener, answer)).start()
        url = f"http://slow.example:{listener.getsockname()[1]}/"
        assert exchanged("GET", url, FAR_LONGER, 10) == Exchanged(200, b"ok")


def test_a_collector_is_cut_off_whose_name_is_found_too_late(
    gate: tuple[threading.Event, list[str]], dripping: Dripping, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next batch finds its own time."""
    monkeypatch.setattr("writ.api.telemetry.decision_log.sinks.collector.CONNECT_SECONDS", SECONDS)
    monkeypatch.setattr("writ.api.telemetry.decision_log.sinks.collector.ANSWER_SECONDS", 0.0001 + SECONDS)
    sink = CollectorSink(CollectorOptions(dripping.url.replace("127.0.0.1", "slow.example")))
    sink.start_worker()
    watched = sink._socket
    found = threading.Thread(target=lambda: wait_until(lambda: watched.is_over) and gate[0].set())
    found.start()
    with pytest.raises(SinkFailed):
        sink.send(b"{}\n")
    found.join()
    with pytest.raises(SinkFailed, match=r"can.t be reached|too slowly"):
        sink.send(b"{}\n")
    assert gate[1] == ["slow.example", "slow.example"]


def test_doctor_does_not_wait_longer(dripping: Dripping, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("writ.api.cli.doctor.service.WAIT_SECONDS", SECONDS)
    (found,) = check_service(dripping.url, None, 0.0)
    assert (found.level, found.message) == (Level.FAILURE, f"`{dripping.url}` can't be reached: no answer in 0.3 s")


def test_doctor_does_not_wait_for_the_lookup_of_a_name(
    gate: tuple[threading.Event, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("writ.api.cli.doctor.service.WAIT_SECONDS", SECONDS)
    (found,) = check_service("http://slow.example", None, 0.0)
    assert found.message == "`http://slow.example` can't be reached: no answer in 0.3 s"
    assert gate[1] == ["slow.example"]
