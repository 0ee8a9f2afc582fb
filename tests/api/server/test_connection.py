"""Deadlines, the limit of connections, and what holds gunicorn's inner names in place (design: "The server")."""

import asyncio
import gc
import json
import select
import socket
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
from writ.api.server.connection import Connection
from writ.api.server.connection_queues import Connections
from writ.api.server.response_head import DateLine
from writ.api.server.shares import Shares
from writ.api.settings.settings import HttpLimits

from tests.api.conftest import ALLOWED
from tests.support.dripping import drip
from tests.support.open_files import allow_open_files
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, running
from tests.support.waiting import wait_until

SINGLE, BATCH = "/access/v1/evaluation", "/access/v1/evaluations"
BODY = json.dumps(ALLOWED).encode()
# A thousand explanations that quote a string ten times: an answer of about 10 MB, more than the system holds back.
SCROLL = {"type": "scroll", "id": "s1", "properties": {"text": "x" * 1_000}}
LONG = ALLOWED | {"resource": SCROLL, "options": {"explain": True}}
HUGE_ANSWER = request("POST", BATCH, json.dumps(LONG | {"evaluations": [{}] * 1_000}).encode(), key=KEY)
EVALUATION = request("POST", SINGLE, BODY, key=KEY)
HALF_HEAD = EVALUATION[:60]
MODEL = "/v1/environments/default/model"
CHUNK = b"3e8\r\n" + b" " * 1_000 + b"\r\n"
LATE_BODY = (
    "the body was not complete after 0.5 seconds; a long one has to come at 32768 bytes a second on average, without"
    " such a pause"
)
# The idle time is the shorter one, so that a head that is cut off by it shows.
SHORT = {"WRIT_HEAD_SECONDS": "0.75", "WRIT_BODY_SECONDS": "0.5", "WRIT_IDLE_SECONDS": "0.4"}


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory, model_file: Path) -> Iterator[Server]:
    """A service with short deadlines."""
    folder = tmp_path_factory.mktemp("hasty")
    with running(folder / "data", "--import", str(model_file), settings=SHORT) as started:
        yield started


@pytest.fixture
def raw(hasty: Server) -> Iterator[RawConnection]:
    with RawConnection(hasty.host, hasty.port) as connection:
        yield connection


@pytest.mark.parametrize("sent", [b"P", HALF_HEAD, EVALUATION[: -len(BODY) - 2]])
def test_a_head_that_stays_half_is_answered_408(raw: RawConnection, sent: bytes) -> None:
    raw.send(sent)
    answer = raw.answer()
    assert (answer.status, answer.headers["content-type"]) == (408, "application/json")
    assert answer.json == {"error": "the head of the request was not complete after 0.75 seconds"}
    assert answer.headers["connection"] == "close"
    assert raw.is_closed()


def test_a_head_that_trickles_is_answered_408(raw: RawConnection) -> None:
    """The deadline is the whole head's: a byte now and then does not renew it."""
    raw.send(b"POST / HTTP/1.1\r\n")
    drip(raw.socket, b"X: y\r\n")
    assert raw.answer().status == 408


def test_a_later_head_on_the_connection_has_the_deadline_too(raw: RawConnection) -> None:
    for begin in (EVALUATION, EVALUATION + HALF_HEAD):
        with RawConnection(*raw.socket.getpeername()) as connection:
            connection.send(begin)
            assert connection.answer().status == 200
            if begin is EVALUATION:
                connection.send(HALF_HEAD)
            assert connection.answer().status == 408


@pytest.mark.parametrize("headers", [{}, {"Transfer-Encoding": "chunked"}])
def test_a_body_that_stays_half_is_answered_408(raw: RawConnection, headers: dict[str, str]) -> None:
    data = request("POST", SINGLE, BODY, headers | {"X-Request-ID": "7"}, key=KEY)
    if headers:
        data = data.replace(f"Content-Length: {len(BODY)}\r\n".encode(), b"")[: -len(BODY)] + b"5\r\n{"
    raw.send(data[:-1])
    answer = raw.answer()
    assert (answer.status, answer.headers["x-request-id"]) == (408, "7")
    assert answer.json == {"error": LATE_BODY}
    assert raw.is_closed()


def test_a_body_that_trickles_is_answered_408(raw: RawConnection) -> None:
    """However long it may be: a byte now and then is below the rate."""
    raw.send(request("PUT", MODEL, b"{", {"Content-Length": "100000000"}, key=KEY))
    drip(raw.socket)
    answer = raw.answer()
    assert (answer.status, answer.json) == (408, {"error": LATE_BODY})


def test_a_long_body_may_take_long_as_long_as_it_comes(tmp_path: Path) -> None:
    """Longer than one of which nothing comes, and which ends meanwhile."""
    settings = {"WRIT_BODY_SECONDS": "3", "WRIT_MIN_BODY_RATE": "1000"}
    with running(tmp_path / "data", settings=settings) as started:
        place = started.host, started.port
        with RawConnection(*place) as connection, RawConnection(*place) as silent:
            head = request("PUT", MODEL, b"", {"Transfer-Encoding": "chunked"}, key=KEY)
            connection.send(head.replace(b"Content-Length: 0\r\n", b""))
            silent.send(request("PUT", MODEL, b"", {"Content-Length": "100"}, key=KEY))
            drip(connection.socket, CHUNK, until=silent.socket)
            assert silent.answer().status == 408
            connection.send(b'c\r\n{"model": 1}\r\n0\r\n\r\n')
            assert connection.answer().status == 200
        assert "Traceback" not in started.log


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("together", [False, True])
def test_a_body_that_breaks_off_is_not_taken_for_a_whole_one(hasty: Server, chunked: bool, together: bool) -> None:
    """Half a document in YAML is one too."""
    half = f"model: 1\nroles: [{{id: {chunked}-{together}}}]\n".encode()
    head = request("PUT", MODEL, b"", {"Content-Type": "application/yaml", "Content-Length": "1000"}, key=KEY)
    if chunked:
        head = head.replace(b"Content-Length: 1000", b"Transfer-Encoding: chunked")
        half = b"%x\r\n%s\r\n" % (len(half), half)
    with hasty.client() as client, RawConnection(hasty.host, hasty.port) as connection:
        before = client.get(MODEL)
        for sent in [head + half] if together else [head, half]:
            connection.send(sent)
            client.get("/healthz")  # what was sent is read by now
        connection.socket.shutdown(socket.SHUT_WR)
        assert connection.is_closed()
        dry_run = client.put(f"{MODEL}?dry_run=true", json={"model": 1})  # behind what would still be done
        assert dry_run.status_code == 200
        assert client.get(MODEL).headers["ETag"] == before.headers["ETag"]


def test_a_body_that_comes_after_the_answer_before_is_taken(hasty: Server, tmp_path: Path) -> None:
    """Its head came while the request before was being answered, and reading stopped there."""
    role = json.dumps({"id": "late", "name": "x" * 400}).encode()
    post = request("POST", "/v1/environments/default/roles", role, key=KEY)
    with running(tmp_path / "data") as patient, RawConnection(patient.host, patient.port) as connection:
        connection.send(request("GET", "/v1/environments/default", b"", key=KEY) + post[: -len(role)])
        assert connection.answer().status == 200
        connection.send_read(role[:200])
        connection.send(role[200:])
        assert connection.answer().status == 201
    with RawConnection(hasty.host, hasty.port) as connection:
        connection.send(request("GET", "/v1/environments/default", b"", key=KEY) + post[: -len(role)])
        assert connection.answer().status == 200
        assert connection.answer().status == 408


def test_a_half_body_behind_a_given_answer_is_only_closed(raw: RawConnection) -> None:
    raw.send(request("POST", SINGLE, BODY)[:-1])
    assert raw.answer().status == 401
    assert raw.is_closed()


def test_a_silent_connection_is_closed_without_a_word(raw: RawConnection) -> None:
    assert raw.is_closed()


def test_an_idle_connection_is_closed_without_a_word(raw: RawConnection) -> None:
    raw.send(EVALUATION)
    assert raw.answer().status == 200
    assert raw.is_closed()


def test_what_the_client_does_not_finish_is_not_decided(hasty: Server) -> None:
    for sent in (HALF_HEAD, EVALUATION[:-1]):
        with RawConnection(hasty.host, hasty.port) as connection:
            connection.send(sent)
            connection.socket.shutdown(1)
            assert connection.is_closed()
    assert "Traceback" not in hasty.log


def test_a_client_that_takes_no_answers_is_dropped(tmp_path: Path, model_file: Path) -> None:
    settings = {"WRIT_BODY_SECONDS": "1", "WRIT_MAX_CONNECTIONS": "1"}
    with running(tmp_path / "data", "--import", str(model_file), settings=settings) as started:
        greedy = wait_until(lambda: _accepted(started))
        assert isinstance(greedy, RawConnection)
        with greedy:
            greedy.send(HUGE_ANSWER)
            assert _is_refused(started)
            assert wait_until(lambda: not _is_refused(started))


def _accepted(server: Server) -> RawConnection | None:
    """A connection that the service serves; None where it is refused."""
    connection = RawConnection(server.host, server.port)
    with suppress(ConnectionError, EOFError):
        connection.send(EVALUATION)
        if connection.answer().status == 200:
            return connection
    connection.socket.close()
    return None


def test_a_client_that_only_closed_its_own_side_gets_every_answer(hasty: Server) -> None:
    """The answers are more than the client takes at once, and the last one is ready soon."""
    with RawConnection(hasty.host, hasty.port) as connection:
        connection.send(HUGE_ANSWER * 2 + EVALUATION)
        connection.socket.shutdown(socket.SHUT_WR)
        answers = [connection.answer() for _ in range(3)]
        assert [answer.status for answer in answers] == [200, 200, 200]
        assert [answer.headers.get("connection") for answer in answers[:2]] == [None, None]
        assert connection.is_closed()


# -- many connections


@pytest.mark.parametrize("sent", [b"", HALF_HEAD])
def test_a_lost_connection_is_no_garbage(sent: bytes) -> None:
    """Nothing refers back to it then, so it ends without the garbage collector, with the buffers of its TLS."""
    loop = asyncio.new_event_loop()
    owner: Any = SimpleNamespace(
        loop=loop, limits=HttpLimits(), lane=None, connections=Connections(9, Shares(1).take()), date=DateLine()
    )
    connection = Connection(owner)
    connection.connection_made(MagicMock())
    if sent:
        connection.data_received(sent)
    ended = weakref.ref(connection)
    gc.collect()
    gc.disable()
    try:
        connection.connection_lost(None)
        del connection
        assert ended() is None
    finally:
        gc.enable()
        loop.close()


def test_half_sent_heads_keep_no_evaluation_waiting(tmp_path: Path, model_file: Path) -> None:
    count = 2_000
    allow_open_files(count)
    with running(tmp_path / "data", "--import", str(model_file)) as started, ExitStack() as stack:
        half = [stack.enter_context(RawConnection(started.host, started.port)) for _ in range(count)]
        for connection in half:
            connection.send(HALF_HEAD)
        with started.client() as client:
            for _ in range(20):
                assert client.post(SINGLE, json=ALLOWED).json()["decision"] is True
        for connection in half[:: count // 20]:
            connection.send(EVALUATION[60:])
            assert connection.answer().status == 200


def test_a_connection_above_the_limit_is_refused_while_all_others_are_served(tmp_path: Path, model_file: Path) -> None:
    """Served is who has sent all of its request, and has not taken all of the answer."""
    settings = {"WRIT_MAX_CONNECTIONS": "3"}
    with running(tmp_path / "data", "--import", str(model_file), settings=settings) as started, ExitStack() as stack:
        kept = [stack.enter_context(RawConnection(started.host, started.port)) for _ in range(3)]
        for connection in kept:
            connection.send(HUGE_ANSWER)
        for connection in kept:
            select.select([connection.socket], [], [])
        assert [_is_refused(started) for _ in range(10)] == [True] * 10
        for connection in kept:
            assert connection.answer().status == 200
        assert wait_until(lambda: not _is_refused(started))


@pytest.mark.parametrize("path", [SINGLE, MODEL, "/v1/oauth/token"])
def test_who_owes_the_rest_of_a_body_gives_way(tmp_path: Path, model_file: Path, path: str) -> None:
    """Whatever waits for it: nobody keeps others out by heads with one byte of a body."""
    settings = {"WRIT_MAX_CONNECTIONS": "3"}
    with running(tmp_path / "data", "--import", str(model_file), settings=settings) as started, ExitStack() as stack:
        for _ in range(4):
            owing = [stack.enter_context(RawConnection(started.host, started.port)) for _ in range(3)]
            for connection in owing:
                form = {"Content-Type": "application/x-www-form-urlencoded"} if "oauth" in path else {}
                connection.send(request("POST", path, b"g", form | {"Content-Length": "100"}, key=KEY))
            new = stack.enter_context(RawConnection(started.host, started.port))
            new.send(EVALUATION)
            assert new.answer().status == 200


@pytest.mark.parametrize("sent", [b"", HALF_HEAD, EVALUATION], ids=["a few bytes", "half a head", "a request"])
def test_what_waits_longest_gives_way(tmp_path: Path, model_file: Path, sent: bytes) -> None:
    settings = {"WRIT_MAX_CONNECTIONS": "3"}
    with running(tmp_path / "data", "--import", str(model_file), settings=settings) as started, ExitStack() as stack:
        kept = []
        for _ in range(3):
            connection = stack.enter_context(RawConnection(started.host, started.port))
            connection.send(sent or EVALUATION[:5])
            if sent == EVALUATION:
                assert connection.answer().status == 200
            kept.append(connection)
        last = stack.enter_context(RawConnection(started.host, started.port))
        last.send(EVALUATION)
        assert last.answer().status == 200
        assert kept[0].is_closed()
        kept[2].send(EVALUATION[len(sent or EVALUATION[:5]) % len(EVALUATION) :])
        assert kept[2].answer().status in (200, 401)


def test_what_is_answered_and_owes_the_rest_gives_way(tmp_path: Path, model_file: Path) -> None:
    settings = {"WRIT_MAX_CONNECTIONS": "3"}
    with (
        running(tmp_path / "data", "--import", str(model_file), settings=settings) as started,
        ExitStack() as stack,
    ):
        for sent, status in (
            (EVALUATION + HALF_HEAD, 200),
            (request("POST", SINGLE, b"", {"Content-Length": "1000"}), 401),
            (request("GET", "/healthz", b"", {"Content-Length": "1000"}), 200),
            (request("GET", "/healthz", b"half a body", {"Content-Length": "1000"}), 200),
            (request("GET", "/healthz", b"", {"Content-Length": "100000000"}), 200),
        ):
            kept = []
            for _ in range(3):
                kept.append(stack.enter_context(RawConnection(started.host, started.port)))
                kept[-1].send(sent)
                assert kept[-1].answer().status == status
            for _ in kept:
                new = stack.enter_context(RawConnection(started.host, started.port))
                new.send(EVALUATION)
                assert new.answer().status == 200
            assert [connection.is_closed() for connection in kept] == [True] * 3
        assert "Traceback" not in started.log


def test_who_sent_no_whole_request_gives_way_before_who_is_idle(tmp_path: Path, model_file: Path) -> None:
    settings = {"WRIT_MAX_CONNECTIONS": "3"}
    with running(tmp_path / "data", "--import", str(model_file), settings=settings) as started, ExitStack() as stack:
        idle = stack.enter_context(RawConnection(started.host, started.port))
        for sent in (b"", HALF_HEAD):
            idle.send(EVALUATION)
            assert idle.answer().status == 200
            churned = [stack.enter_context(RawConnection(started.host, started.port)) for _ in range(8)]
            for connection in churned[2:]:
                with suppress(ConnectionError):
                    connection.send(sent)
            assert [connection.is_closed() for connection in churned[:6]] == [True] * 6
        idle.send(EVALUATION)
        assert idle.answer().status == 200


def test_who_gives_way_still_gets_its_answer(tmp_path: Path, model_file: Path) -> None:
    """Of answers that grow by less than what the service holds back for a client, some are still held back in part."""
    items, apart = _held_back() // 10_000, 4
    settings = {"WRIT_MAX_CONNECTIONS": "40", "WRIT_BODY_SECONDS": "600"}
    with running(tmp_path / "data", "--import", str(model_file), settings=settings) as started, ExitStack() as stack:
        slow = []
        for count in range(items - 15 * apart, items + 15 * apart, apart):
            connection = stack.enter_context(RawConnection(started.host, started.port))
            body = json.dumps(LONG | {"evaluations": [{}] * count}).encode()
            connection.send(request("POST", BATCH, body, key=KEY))
            select.select([connection.socket], [], [])
            slow.append(connection)
        for _ in range(2 * len(slow)):
            stack.enter_context(RawConnection(started.host, started.port)).send(EVALUATION)
        for connection in slow:
            assert connection.answer().status == 200


def _held_back() -> int:
    """How many bytes the system takes for a client that reads none."""
    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.create_connection(listening.getsockname()),
    ):
        served, _ = listening.accept()
        with served:
            served.setblocking(False)
            return served.send(bytes(20_000_000))


def _is_refused(server: Server) -> bool:
    with RawConnection(server.host, server.port) as connection:
        try:
            connection.send(EVALUATION)
            answer = connection.answer()
        except (ConnectionError, EOFError):
            return True
    assert answer.status in (200, 503)
    if answer.status == 503:
        assert "connections, its limit; try again later" in str(answer.json["error"])
        assert answer.headers["retry-after"] == "1"
    return answer.status == 503
