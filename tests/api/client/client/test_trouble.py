"""A decision point that misbehaves: a client repeats what may be repeated, in time, and never takes it for a yes."""

import logging
import time
from collections.abc import Callable
from typing import Any

import pytest
import writ
from writ.client import BadAnswer, CallFailed, CircuitOpen, Refused, Unreachable
from writ.client.calling.breaker import MOST_FAILURES
from writ.client.calling.retries import BUDGET_MOST, PAUSE_SECONDS

from tests.api.client.client.conftest import Opened
from tests.api.conftest import ALLOWED
from tests.support.decision_point import (
    DecisionPoint,
    Handler,
    answers,
    drips,
    drips_headers,
    drops,
    stays_silent,
)
from tests.support.ports import free_port

ATTEMPTS = len(PAUSE_SECONDS) + 1
TEMPORARY: list[Callable[[Handler], None]] = [drops, answers(429), answers(503), answers(503, Retry_After="0")]


@pytest.mark.parametrize("trouble", TEMPORARY)
def test_a_call_is_repeated(opened: Opened, point: DecisionPoint, trouble: Callable[[Handler], None]) -> None:
    """After a broken connection, 429 and 503."""
    point.script = [trouble] * (ATTEMPTS - 1)
    assert opened(point.url, timeout=5).call("decide", ALLOWED) == {"decision": True}
    assert len(point.questions) == ATTEMPTS


def test_a_call_is_not_repeated_for_ever(opened: Opened, point: DecisionPoint) -> None:
    point.always = answers(503)
    with pytest.raises(Refused, match="as the test says") as caught:
        opened(point.url, timeout=5).call("decide", ALLOWED)
    assert (caught.value.status, len(point.questions)) == (503, ATTEMPTS)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 500, 501, 502])
def test_other_answers_are_final(opened: Opened, point: DecisionPoint, status: int) -> None:
    point.script = [answers(status)]
    with pytest.raises(writ.Error) as caught:
        opened(point.url, timeout=5, token="key").call("decide", ALLOWED)
    assert len(point.questions) == 1
    expected = {400: writ.BadRequest, 501: writ.SearchUnavailable}.get(status, Refused)
    assert type(caught.value) is expected


def test_retry_after_is_waited_for(opened: Opened, point: DecisionPoint) -> None:
    point.script = [answers(429, Retry_After="1")]
    asker, began = opened(point.url, timeout=5), time.monotonic()
    assert asker.allowed()
    assert time.monotonic() - began >= 1


def test_a_longer_retry_after_than_the_time_limit_ends_the_call_at_once(opened: Opened, point: DecisionPoint) -> None:
    point.always = answers(503, Retry_After="Fri, 01 Jan 2100 00:00:00 GMT")
    asker, began = opened(point.url, timeout=60), time.monotonic()
    with pytest.raises(Refused) as caught:
        asker.call("decide", ALLOWED)
    assert time.monotonic() - began < 30
    assert caught.value.retry_after is not None
    assert caught.value.retry_after > 1e9
    assert len(point.questions) == 1


@pytest.mark.parametrize("slow", [stays_silent, drips, drips_headers])
def test_a_question_takes_its_time_limit_at_most(
    opened: Opened, point: DecisionPoint, slow: Callable[[Handler], None]
) -> None:
    point.always = slow
    asker, began = opened(point.url, timeout=0.3), time.monotonic()
    with pytest.raises(Unreachable, match="the time is over"):
        asker.call("decide", ALLOWED)
    assert time.monotonic() - began < 15


NO_DECISIONS: list[Any] = [{}, {"decision": "true"}, {"decision": 1}, {"decision": None}, [], b"", b"<html>", b"\xff",
                           {"allowed": True}, {"decision": True, "context": []}, b"[" * 200_000, b'{"decision": true',
                           b"null", b"true", {"Decision": True}, {"decision": [True]},
                           {"data": {"decision": True}}]  # fmt: skip


@pytest.mark.parametrize("body", NO_DECISIONS, ids=range(len(NO_DECISIONS)))
def test_200_without_a_boolean_decision_is_no_answer(opened: Opened, point: DecisionPoint, body: Any) -> None:
    """authzen.md 10, 24."""
    point.always = answers(200, body)
    asker = opened(point.url, timeout=5)
    with pytest.raises(BadAnswer):
        asker.call("decide", ALLOWED)
    assert asker.allowed() is False


@pytest.mark.parametrize("items", [[], [{"decision": True}], [{"decision": True}, {}], [True, True], None])
def test_a_batch_without_a_decision_for_each_item_is_no_answer(
    opened: Opened, point: DecisionPoint, items: Any
) -> None:
    point.always = answers(200, {"evaluations": items})
    with pytest.raises(BadAnswer):
        opened(point.url, timeout=5).call("decide_many", [ALLOWED, ALLOWED])


def test_a_redirection_is_not_followed(opened: Opened, point: DecisionPoint) -> None:
    """A credential must not leave for another place."""
    point.always = answers(307, Location="/elsewhere")
    with pytest.raises(Refused):
        opened(point.url, timeout=5, token="key").call("decide", ALLOWED)
    assert "/elsewhere" not in [one.path for one in point.asked]


@pytest.mark.parametrize("status", [401, 403, 409, 500, 503])
def test_allowed_fails_closed_and_logs(
    opened: Opened, point: DecisionPoint, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    point.always = answers(status)
    with caplog.at_level(logging.WARNING, "writ.client"):
        assert opened(point.url, timeout=5).allowed() is False
    assert f"as the test says ({status})" in caplog.text


def test_nobody_there_is_a_denial(opened: Opened, caplog: pytest.LogCaptureFixture) -> None:
    asker = opened(f"http://127.0.0.1:{free_port()}", timeout=0.5)
    assert asker.allowed() is False
    assert "can't be reached" in caplog.text
    with pytest.raises(CallFailed):
        asker.call("ask", "user", "alice", "read", "document", "d1")


def test_the_circuit_opens_and_closes_again(
    opened: Opened, point: DecisionPoint, later: Callable[[float], None]
) -> None:
    """While it is open, nothing is sent. Then a single call tries."""
    point.always = drops
    asker = opened(point.url, timeout=5)
    while len(point.questions) < MOST_FAILURES:
        asker.allowed()
    with pytest.raises(CircuitOpen, match="not asked for a moment"):
        asker.call("decide", ALLOWED)
    assert len(point.questions) == MOST_FAILURES
    point.always = None
    later(1.6)
    assert asker.allowed()
    assert asker.allowed()


def test_a_server_that_lacks_a_revision_does_not_open_the_circuit(opened: Opened, point: DecisionPoint) -> None:
    point.always = answers(503)
    asker = opened(point.url, timeout=5)
    asker.client.revision = "0b8f6d3a-1c52-4f0e-9a57-6f3d2a1b4c5d.2.41"
    for _ in range(MOST_FAILURES + 2):
        assert not asker.allowed()
    point.always = None
    assert asker.allowed()


def test_repetitions_have_a_budget(opened: Opened, point: DecisionPoint) -> None:
    """A long overload gets few of them: 429 does not open the circuit."""
    point.always = answers(429)
    asker = opened(point.url, timeout=5)
    for _ in range(50):
        asker.allowed()
    assert 50 < len(point.questions) <= 50 * 1.1 + BUDGET_MOST + 1


def test_a_closed_client_denies(opened: Opened, point: DecisionPoint) -> None:
    asker = opened(point.url)
    assert asker.allowed()
    asker.close()
    if isinstance(asker.client, writ.Client):
        assert asker.allowed() is False


@pytest.mark.parametrize("url", ["", "writ.example", "ftp://writ.example", "https://", "https://h/?a=1"])
def test_a_url_that_is_none(opened: Opened, url: str) -> None:
    with pytest.raises(ValueError, match="no URL of a decision point"):
        opened(url)
