"""Workers share new connections evenly (design: "The server")."""

import os
import signal
import ssl
from contextlib import ExitStack
from pathlib import Path

import pytest
from writ.api.server.shares import SLACK, Share, Shares

from tests.support.certificates import Authority
from tests.support.processes import children, connections
from tests.support.raw_http import RawConnection, request
from tests.support.server import Server, running
from tests.support.waiting import wait_until

CLIENTS = 40
ROUNDS = 10
HEALTH = request("GET", "/healthz")


@pytest.fixture
def pair() -> tuple[Share, Share]:
    shares = Shares(2)
    return shares.take(), shares.take()


def test_a_worker_with_more_is_ahead(pair: tuple[Share, Share]) -> None:
    one, other = pair
    one.set(1)
    assert one.is_ahead() is False  # the other worker does not accept yet
    other.set(0)
    assert (one.is_ahead(), other.is_ahead()) == (True, False)
    other.set(1)
    assert (one.is_ahead(), other.is_ahead()) == (False, False)


def test_a_worker_is_missed_after_a_reload_until_another_accepts() -> None:
    shares = Shares(1)
    old = shares.take()
    old.set(0)
    old.leave()
    assert old.is_missed() is False  # the service stops
    shares.reload()
    new = shares.take()
    assert (old.is_missed(), new.is_missed()) == (True, False)
    new.set(0)
    assert old.is_missed() is False


def test_a_difference_within_the_slack_is_even(pair: tuple[Share, Share]) -> None:
    one, other = pair
    other.set(10 * SLACK)
    one.set(10 * SLACK + 10)
    assert one.is_ahead() is False
    one.set(10 * SLACK + 11)
    assert one.is_ahead() is True


def test_nothing_is_left_to_a_worker_that_stops(pair: tuple[Share, Share]) -> None:
    """Its last connections end later, and count no more."""
    one, other = pair
    one.set(5)
    other.set(0)
    other.leave()
    other.set(1)
    assert one.is_ahead() is False


def test_a_place_is_used_again_after_its_worker_ended() -> None:
    shares = Shares(1)
    first, second = shares.take(), shares.take()
    assert first.place != second.place
    shares.release(first)
    assert shares.take().place == first.place


def test_more_workers_than_places_share_the_last_one() -> None:
    shares = Shares(1)
    places = [shares.take().place for _ in range(len(shares.counts) + 2)]
    assert places[-3:] == [places[-1]] * 3


@pytest.mark.parametrize("secure", [False, True])
def test_two_workers_get_half_of_the_connections_each(tmp_path: Path, secure: bool) -> None:
    """On a busy machine a worker may miss its turn. It then gets more of the next ones."""
    authority = Authority(tmp_path, "authority") if secure else None
    options = authority.pair("server").options if authority else ()
    trust = authority.trust() if authority else None
    with running(tmp_path / "data", *options, workers=2, trust=trust) as server, ExitStack() as clients:
        assert wait_until(lambda: len(children(server.process.pid)) == 2) is True
        for _ in range(ROUNDS):
            for _ in range(CLIENTS):
                _ask(clients.enter_context(RawConnection(server.host, server.port, trust)))
            held = [connections(worker, server.port) for worker in children(server.process.pid)]
            if max(held) - min(held) <= max(held) // SLACK:
                break
        else:
            pytest.fail(f"the workers have {held} connections")


def test_a_worker_that_died_keeps_no_connections_from_the_other(tmp_path: Path) -> None:
    """Its place is free again, and the worker that takes its place gets its share."""
    with running(tmp_path / "data", workers=2) as server:
        old = children(server.process.pid)
        os.kill(old[0], signal.SIGKILL)
        assert wait_until(lambda: _has_two_others(server, old)) is True
        with ExitStack() as clients:
            for _ in range(CLIENTS):
                _ask(clients.enter_context(RawConnection(server.host, server.port)))


def _has_two_others(server: Server, old: list[int]) -> bool:
    now = children(server.process.pid)
    return len(now) == 2 and now != old


def _ask(connection: RawConnection) -> None:
    connection.send(HEALTH)
    assert connection.answer().status == 200


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_any_worker_resumes_a_session_of_tls(tmp_path: Path, version: ssl.TLSVersion) -> None:
    """Resumption spares the client and the worker the costly part of a handshake (RFC 5077, RFC 8446)."""
    authority = Authority(tmp_path, "authority")
    trust = authority.trust()
    trust.maximum_version = version
    options = authority.pair("server").options
    with running(tmp_path / "data", *options, workers=2, trust=trust) as server, ExitStack() as clients:
        first = clients.enter_context(RawConnection(server.host, server.port, trust))
        _ask(first)
        assert isinstance(first.socket, ssl.SSLSocket)
        for _ in range(4):  # all stay open, so both workers get some of them
            other = clients.enter_context(RawConnection(server.host, server.port, trust, first.socket.session))
            _ask(other)
            assert isinstance(other.socket, ssl.SSLSocket)
            assert other.socket.session_reused is True
