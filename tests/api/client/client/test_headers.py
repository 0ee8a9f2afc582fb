"""The headers that go along, and clients in threads, event loops and forked processes."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import httpx
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from writ.client import AsyncClient, Client, Refused

from tests.api.client.client.conftest import Opened
from tests.api.conftest import ALLOWED
from tests.support.decision_point import DecisionPoint, answers
from tests.support.waiting import rounds

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
ASKED = ("user", "alice", "read", "document", "d1")


def test_an_id_and_a_trace_go_along(opened: Opened, point: DecisionPoint) -> None:
    """From a function or from a context variable."""
    ids: ContextVar[str] = ContextVar("ids")
    ids.set("r-1")
    assert opened(point.url, request_id=ids, traceparent=lambda: PARENT).allowed()
    for one in point.asked:
        assert (one.headers["x-request-id"], one.headers["traceparent"]) == ("r-1", PARENT)


@pytest.mark.parametrize("text", [None, "", "a\r\nb: c", "\xe9", "x" * 600])
def test_what_cannot_be_a_header_is_left_out(opened: Opened, point: DecisionPoint, text: str | None) -> None:
    assert opened(point.url, request_id=lambda: text).allowed()
    assert "x-request-id" not in point.questions[0].headers


def test_the_current_span_of_opentelemetry_goes_along(opened: Opened, point: DecisionPoint) -> None:
    asker = opened(point.url)
    with TracerProvider().get_tracer("tests").start_as_current_span("a page") as span:
        assert asker.allowed()
    context = span.get_span_context()
    expected = f"00-{context.trace_id:032x}-{context.span_id:016x}-{int(context.trace_flags):02x}"
    assert point.questions[0].headers["traceparent"] == expected
    assert not trace.get_current_span().get_span_context().is_valid
    assert asker.allowed()
    assert "traceparent" not in point.questions[1].headers


def test_an_error_names_the_id_of_the_answer(opened: Opened, point: DecisionPoint) -> None:
    point.always = answers(403, X_Request_ID="r-2")
    with pytest.raises(Refused) as caught:
        opened(point.url).call("decide", ALLOWED)
    assert caught.value.request_id == "r-2"


def test_the_applications_own_session_stays_open(point: DecisionPoint) -> None:
    with httpx.Client(headers={"X-Own": "1"}) as session:
        with Client(point.url, session=session) as client:
            assert client.allowed(*ASKED)
        assert not session.is_closed
        assert point.questions[0].headers["x-own"] == "1"

    async def ask() -> None:
        async with httpx.AsyncClient() as session:
            async with AsyncClient(point.url, session=session) as client:
                assert await client.allowed(*ASKED)
            assert not session.is_closed

    asyncio.run(ask())


def test_threads_share_a_client(point: DecisionPoint) -> None:
    with Client(point.url, timeout=10) as client, ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: client.allowed(*ASKED), range(200)))


def test_each_event_loop_has_its_own_connections(point: DecisionPoint) -> None:
    """One client serves one loop after the other."""
    client = AsyncClient(point.url, timeout=10)

    async def ask() -> bool:
        async with client:
            return all(await asyncio.gather(*(client.allowed(*ASKED) for _ in range(20))))

    assert asyncio.run(ask())
    assert asyncio.run(ask())


def test_a_forked_process_makes_its_own_connections(point: DecisionPoint) -> None:
    """It keeps the revision, and leaves the parent's connection alone."""
    client = Client(point.url, timeout=10)
    assert client.allowed(*ASKED)
    client.revision = "0b8f6d3a-1c52-4f0e-9a57-6f3d2a1b4c5d.2.41"
    child = os.fork()
    if child == 0:
        os._exit(0 if client.allowed(*ASKED) and client.revision is not None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert client.allowed(*ASKED)
    ports = [one.port for one in point.questions]
    assert ports[0] == ports[2] != ports[1]
    assert point.questions[1].headers["writ-min-revision"].endswith(".2.41")
    client.close()


def test_a_question_that_is_cancelled_leaves_the_client_usable(point: DecisionPoint) -> None:
    async def ask() -> None:
        async with AsyncClient(point.url, timeout=10) as client:
            assert await client.allowed(*ASKED)
            for _ in range(10):
                task = asyncio.create_task(client.allowed(*ASKED))
                await rounds()
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert await client.allowed(*ASKED)

    asyncio.run(ask())
