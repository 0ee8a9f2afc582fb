"""Hostile circumstances: threads, forks, a client that is closed meanwhile, bytes that come one by one, odd answers."""

import asyncio
import gc
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
import writ
from writ.client import AsyncClient, BadAnswer, CallFailed, CircuitOpen, Client, ClientCredentials, Unreachable
from writ.client.calling.breaker import MOST_FAILURES, Breaker

from tests.api.client.client.conftest import Opened
from tests.api.conftest import ALLOWED
from tests.support.certificates import Authority
from tests.support.decision_point import DecisionPoint, Handler, answers, deciding, drips_headers, drops
from tests.support.waiting import PATIENCE_SECONDS, until, wait_until

ASKED = ("user", "alice", "read", "document", "d1")
THREADS = 4


def echoes(handler: Handler) -> None:
    """Allow documents with an even number, and tell which one it was."""
    number = int(handler.headers["X-Request-ID"])
    handler.reply(200, {"decision": number % 2 == 0, "context": {"number": number}})


NUMBER = threading.local()


def ask_many(client: Client, numbers: range) -> bool:
    """Returns whether each answer is the one to its question."""
    for number in numbers:
        NUMBER.now = str(number)
        if client.decide(ALLOWED) != {"decision": number % 2 == 0, "context": {"number": number}}:  # type: ignore[arg-type]  # a dictionary
            return False
    return True


def ask_in_threads(client: Client, start: int) -> bool:
    with ThreadPoolExecutor(THREADS) as pool:
        parts = [range(start + 20 * one, start + 20 * one + 20) for one in range(THREADS)]
        return all(pool.map(lambda part: ask_many(client, part), parts))


def test_no_process_and_no_thread_gets_the_answer_to_another_question(point: DecisionPoint) -> None:
    """Children are forked while threads ask, fork themselves, and ask with threads at the same time as the parent."""
    point.always = echoes
    with Client(point.url, timeout=20, request_id=lambda: NUMBER.now, discover=False) as client:
        assert ask_many(client, range(2))
        parents: list[bool] = []
        busy = threading.Thread(target=lambda: parents.append(ask_in_threads(client, 0)))
        busy.start()
        children = [fork(lambda start=start: family(client, start)) for start in (1_000, 2_000)]
        busy.join()
        assert parents == [True]
        assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
        assert ask_many(client, range(2))


def family(client: Client, start: int) -> bool:
    """Asks in a child of the test, and in a child of that."""
    grandchild = fork(lambda: ask_in_threads(client, start + 500))
    mine = ask_in_threads(client, start)
    return mine and os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]) == 0


def fork(does: Callable[[], bool]) -> int:
    """Returns the id of a child, whose exit code is 0 if `does` returns True."""
    child = os.fork()
    if child == 0:
        code = 2
        try:
            code = 0 if does() else 1
        finally:
            os._exit(code)
    return child


def test_a_child_with_the_id_of_an_ancestor_has_its_own_connections(
    point: DecisionPoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system gives the id of a process that has ended to another one."""
    here = os.getpid()
    with Client(point.url, timeout=10, discover=False) as client:
        assert client.allowed(*ASKED)

        def as_its_ancestor() -> bool:
            monkeypatch.setattr(os, "getpid", lambda: here)
            return client.allowed(*ASKED)

        assert os.waitstatus_to_exitcode(os.waitpid(fork(as_its_ancestor), 0)[1]) == 0
        assert client.allowed(*ASKED)
    ports = [one.port for one in point.questions]
    assert ports[0] == ports[2] != ports[1]


def test_a_client_that_is_closed_meanwhile_denies(point: DecisionPoint) -> None:
    """The threads that still ask get an error of Writ, not one of the library below."""
    errors: list[BaseException] = []

    def ask(client: Client) -> None:
        try:
            while True:
                client.decide(ALLOWED)  # type: ignore[arg-type]  # a dictionary
        except writ.Error:
            pass
        except BaseException as ex:
            errors.append(ex)

    for _ in range(3):
        client = Client(point.url, timeout=5, discover=False)
        threads = [threading.Thread(target=ask, args=(client,)) for _ in range(6)]
        wanted = len(point.questions) + 10 * len(threads)
        for one in threads:
            one.start()
        assert wait_until(lambda wanted=wanted: len(point.questions) >= wanted)
        client.close()
        for one in threads:
            one.join(60)
        del client, threads
        gc.collect()  # which warns of a connection that was left open
    assert errors == []


def test_a_header_that_never_ends_is_cut_off(opened: Opened, point: DecisionPoint) -> None:
    """Also on a connection that was used before."""
    asker = opened(point.url, timeout=2, discover=False)
    assert asker.allowed()
    point.script = [drips_headers]
    began = time.monotonic()
    with pytest.raises(Unreachable, match="the time is over"):
        asker.call("decide", ALLOWED)
    assert time.monotonic() - began < 15
    assert point.questions[0].port == point.questions[1].port
    assert asker.allowed()


def test_a_header_that_never_ends_is_cut_off_on_a_session_of_the_application(point: DecisionPoint) -> None:
    point.script = [drips_headers]
    with httpx.Client(timeout=60) as session:
        client = Client(point.url, session=session, timeout=0.4, discover=False)
        began = time.monotonic()
        assert not client.allowed(*ASKED)
        assert time.monotonic() - began < 15
        assert session.post(f"{point.url}/access", json={}).json() == {"decision": True}


def test_a_server_with_tls(opened: Opened, tmp_path: Path) -> None:
    """Its certificate has to be signed by an authority of `ca_file`. Its headers end in time, too."""
    authority = Authority(tmp_path, "authority")
    with deciding(tls=authority.pair("server")) as point:
        assert opened(point.url, timeout=5, ca_file=authority.file).allowed()
        with pytest.raises(Unreachable, match=r"can't be reached: .*certificate"):
            opened(point.url, timeout=5, discover=False).call("decide", ALLOWED)
        point.script = [drips_headers]
        asker, began = opened(point.url, timeout=1, ca_file=authority.file, discover=False), time.monotonic()
        with pytest.raises(Unreachable, match="the time is over"):
            asker.call("decide", ALLOWED)
        assert time.monotonic() - began < 15
    with pytest.raises(OSError, match="No such file"):
        opened("https://writ.example", ca_file=tmp_path / "none.pem")


def test_a_server_that_reads_slowly_is_left(point: DecisionPoint) -> None:
    """The request goes out in pieces, and each piece gets the time that is left."""
    reading = threading.Event()

    def never_reads(handler: Handler) -> None:
        reading.wait(PATIENCE_SECONDS)
        handler.drop()

    point.script = [never_reads]
    with Client(point.url, timeout=0.4, discover=False) as client:
        began = time.monotonic()
        assert not client.allowed(*ASKED, context={"long": "x" * 2_000_000})
        assert time.monotonic() - began < 15
    reading.set()


@pytest.mark.parametrize("status", [400, 401, 403])
@pytest.mark.parametrize("name", ["decide", "filter", "actions", "grants.find", "groups.members"])
def test_a_refusal_is_never_repeated(opened: Opened, point: DecisionPoint, name: str, status: int) -> None:
    """Even if it says when to come back."""
    point.always = answers(status, Retry_After="0")
    asker = opened(point.url, timeout=5, token="key", discover=False)
    with pytest.raises(writ.Error):
        asker.call(name, **{"grants.find": {}, "groups.members": {"id": "eng"}}.get(name, {"request": ALLOWED}))
    assert len(point.asked) == 1


def test_a_refused_token_is_renewed_once(opened: Opened, point: DecisionPoint) -> None:
    """A server that refuses every token gets two questions, not more."""
    point.always = lambda handler: handler.reply(
        *((200, {"access_token": "t", "expires_in": 60}) if handler.path == "/token" else (401, {"error": "no"}))
    )
    credentials = ClientCredentials("id", "secret", token_url=f"{point.url}/token")
    assert not opened(point.url, timeout=5, token=credentials, discover=False).allowed()
    assert [one.path.startswith("/access") for one in point.asked] == [False, True, False, True]


@pytest.mark.parametrize("odd", [None, {}, {"decision": 1}, {"decision": "yes"}, [], True])
def test_one_odd_answer_spoils_a_batch(opened: Opened, point: DecisionPoint, odd: Any) -> None:
    point.always = answers(200, {"evaluations": [{"decision": True}, odd]})
    with pytest.raises(BadAnswer):
        opened(point.url, timeout=5, discover=False).call("decide_many", [ALLOWED, ALLOWED])


DOUBLED = [b'{"decision": false, "decision": true}', rb'{"decision": false, "\u0064ecision": true}',
           b'{"decision": true, "context": {"a": [{"b": 1, "b": 1}]}}']  # fmt: skip


@pytest.mark.parametrize("body", DOUBLED)
def test_an_answer_with_a_member_twice_is_no_answer(opened: Opened, point: DecisionPoint, body: bytes) -> None:
    """E10: another reader would take the first one."""
    point.always = answers(200, body)
    asker = opened(point.url, timeout=5)
    with pytest.raises(BadAnswer, match="twice"):
        asker.call("decide", ALLOWED)
    assert asker.allowed() is False


def test_a_batch_and_a_token_with_a_member_twice_are_no_answers(opened: Opened, point: DecisionPoint) -> None:
    point.always = answers(200, b'{"evaluations": [{"decision": true}, {"decision": false, "decision": true}]}')
    with pytest.raises(BadAnswer, match="twice"):
        opened(point.url, timeout=5, discover=False).call("decide_many", [ALLOWED, ALLOWED])
    point.always = answers(200, b'{"access_token": "s", "access_token": "t", "expires_in": 60}')
    credentials = ClientCredentials("id", "secret", token_url=f"{point.url}/token")
    with pytest.raises(BadAnswer):
        opened(point.url, timeout=5, token=credentials, discover=False).call("decide", ALLOWED)


def test_a_refused_batch_costs_few_calls(opened: Opened, point: DecisionPoint) -> None:
    """If all requests are refused, two calls for each, whatever their number."""
    point.always = answers(400, {"error": "no", "details": [{"code": "invalid", "path": "$", "message": "no"}]})
    found = opened(point.url, timeout=5, discover=False).call("decide_many", [ALLOWED] * 16)
    assert [one["decision"] for one in found] == [False] * 16
    assert len(point.asked) <= 2 * 16 + 5


@pytest.mark.parametrize("token", ["a\r\nX-Evil: 1", "schlüssel", "a\n", "\x00"])
def test_a_token_that_no_header_can_have(opened: Opened, point: DecisionPoint, token: str) -> None:
    with pytest.raises(ValueError, match="printable ASCII"):
        opened(point.url, token=token)
    asker = opened(point.url, token=lambda: token, discover=False)
    with pytest.raises(CallFailed, match="printable ASCII"):
        asker.call("decide", ALLOWED)
    assert asker.allowed() is False
    assert point.asked == []


@pytest.mark.parametrize("token", ["", "x", "a\r\nX-Evil: 1", "0b8f6d3a-1c52-4f0e-9a57-6f3d2a1b4c5d.2"])
def test_what_is_no_revision_is_not_sent(opened: Opened, point: DecisionPoint, token: str) -> None:
    asker = opened(point.url)
    with pytest.raises(ValueError, match="a revision is a token"):
        asker.client.revision = token
    assert asker.client.revision is None


class Clock:
    """A clock that stands still until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def open_circuit(clock: Clock) -> Breaker:
    """A breaker whose circuit may be tried now."""
    breaker = Breaker("`it`", clock, lambda: 0.5)
    for _ in range(MOST_FAILURES):
        breaker.failed(breaker.admit(1))
    with pytest.raises(CircuitOpen):
        breaker.admit(1)
    clock.now += 1
    return breaker


def admits(breaker: Breaker) -> bool:
    try:
        breaker.admit(1)
    except CircuitOpen:
        return False
    return True


def test_one_of_many_threads_tries_a_circuit(clock: Clock) -> None:
    breaker = open_circuit(clock)
    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(lambda _: admits(breaker), range(64))) == 1


@pytest.mark.parametrize("end", ["succeeded", "failed", "abandoned"])
def test_the_end_of_an_old_call_does_not_let_another_one_try(clock: Clock, end: str) -> None:
    """Calls that began before the circuit opened end while a call tries it."""
    breaker = Breaker("`it`", clock, lambda: 0.5)
    old = [breaker.admit(1) for _ in range(MOST_FAILURES + 3)]
    for one in old[:MOST_FAILURES]:
        breaker.failed(one)
    clock.now += 1
    trial = breaker.admit(5)
    for one in old[MOST_FAILURES:]:
        getattr(breaker, end)(one)
    assert not admits(breaker)
    breaker.succeeded(trial)
    assert admits(breaker)


def test_the_failures_of_old_calls_do_not_open_a_circuit_again(clock: Clock) -> None:
    breaker = Breaker("`it`", clock, lambda: 0.5)
    old = [breaker.admit(1) for _ in range(3 * MOST_FAILURES)]
    for one in old[:MOST_FAILURES]:
        breaker.failed(one)
    clock.now += 1
    breaker.succeeded(breaker.admit(1))
    for one in old[MOST_FAILURES:]:
        breaker.failed(one)
    assert admits(breaker)


def test_a_failed_trial_opens_the_circuit_and_an_abandoned_one_leaves_it_to_another(clock: Clock) -> None:
    breaker = open_circuit(clock)
    breaker.abandoned(breaker.admit(1))
    breaker.failed(breaker.admit(1))
    assert not admits(breaker)
    clock.now += 0.9
    assert not admits(breaker)
    clock.now += 0.1
    assert admits(breaker)


def test_a_trial_that_never_ends_does_not_keep_the_circuit(clock: Clock) -> None:
    """Its event loop may be gone."""
    breaker = open_circuit(clock)
    assert admits(breaker)
    clock.now += 0.9
    assert not admits(breaker)
    clock.now += 0.1
    assert admits(breaker)


def test_concurrent_calls_try_a_circuit_once(
    opened: Opened, point: DecisionPoint, later: Callable[[float], None]
) -> None:
    """Over the network: while the trial takes its time, all other calls fail at once."""
    point.always = drops
    asker = opened(point.url, timeout=60, discover=False)
    while len(point.questions) < MOST_FAILURES:
        asker.allowed()
    others_are_over = threading.Event()

    def answers_last(handler: Handler) -> None:
        others_are_over.wait(PATIENCE_SECONDS)
        handler.reply(200, {"decision": True})

    point.always, before = answers_last, len(point.questions)
    later(1.55)
    if isinstance(asker.client, AsyncClient):
        client = asker.client

        async def all_at_once() -> list[bool]:
            asked = [asyncio.create_task(client.allowed(*ASKED)) for _ in range(20)]
            assert await until(lambda: sum(one.done() for one in asked) >= 19)
            others_are_over.set()
            return await asyncio.gather(*asked)

        found = asker._loop.run_until_complete(all_at_once())  # type: ignore[union-attr]  # it is one of asyncio
    else:
        with ThreadPoolExecutor(20) as pool:
            asked = [pool.submit(asker.allowed) for _ in range(20)]
            assert wait_until(lambda: sum(one.done() for one in asked) >= 19)
            others_are_over.set()
            found = [one.result() for one in asked]
    assert (sorted(found), len(point.questions) - before) == ([False] * 19 + [True], 1)
