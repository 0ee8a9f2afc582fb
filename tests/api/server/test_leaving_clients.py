"""Work ends with its client. One that only closed its sending side still gets what is ready soon."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from writ.api.server import connection as connections
from writ.api.server.connection import Connection
from writ.api.server.connection_queues import Connections
from writ.api.server.response_head import DateLine
from writ.api.server.shares import Shares
from writ.api.settings.settings import HttpLimits

from tests.support.raw_http import request
from tests.support.waiting import until

GET = request("GET", "/slow")
START = {"type": "http.response.start", "status": 200, "headers": []}
END = {"type": "http.response.body", "body": b"all of it"}
PIECE = {"type": "http.response.body", "body": b"the beginning, ", "more_body": True}


class Application:
    """An application that answers once it may, after a first piece if it `begins`."""

    def __init__(self, begins: bool = False) -> None:
        self._begins, self.may_answer = begins, asyncio.Event()
        self.asked = self.ended = self.cancelled = 0

    async def __call__(self, _scope: Any, _receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        """Answer one request."""
        self.asked += 1
        try:
            if self._begins:
                await send(START)
                await send(PIECE)
            await self.may_answer.wait()
            if not self._begins:
                await send(START)
            await send(END)
            self.ended += 1
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


@asynccontextmanager
async def client_of(
    application: Application,
) -> AsyncIterator[tuple[Connection, asyncio.StreamReader, asyncio.StreamWriter]]:
    """Yields the server's side and the client's side of a connection."""
    loop = asyncio.get_running_loop()
    owner: Any = SimpleNamespace(
        loop=loop, limits=HttpLimits(), lane=None, connections=Connections(9, Shares(1).take()), date=DateLine(),
        application=application,
    )  # fmt: skip
    made: list[Connection] = []

    def protocol() -> Connection:
        made.append(Connection(owner))
        return made[0]

    server = await loop.create_server(protocol, "127.0.0.1", 0)
    async with server:
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        writer.write(GET)
        assert await until(lambda: application.asked)
        yield made[0], reader, writer
        writer.close()
        assert await until(lambda: not owner.connections.all)


def test_work_ends_with_its_client(monkeypatch: pytest.MonkeyPatch) -> None:
    async def leaves() -> None:
        application = Application()
        async with client_of(application) as (_, _, writer):
            writer.close()
            assert await until(lambda: application.cancelled)

    monkeypatch.setattr(connections, "LEFT_SECONDS", 0.01)
    asyncio.run(leaves())


def test_a_client_that_only_closed_its_sending_side_gets_what_is_ready_soon() -> None:
    async def closes_by_half() -> None:
        application = Application()
        async with client_of(application) as (connection, reader, writer):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(connections, "LEFT_SECONDS", 60.0)
                writer.write_eof()
                assert await until(lambda: connection._ended)
            application.may_answer.set()
            assert (await reader.read()).endswith(b"all of it\r\n0\r\n\r\n")
        assert (application.ended, application.cancelled) == (1, 0)

    asyncio.run(closes_by_half())


def test_it_gets_nothing_that_takes_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def closes_by_half() -> None:
        application = Application()
        async with client_of(application) as (_, reader, writer):
            writer.write_eof()
            assert await reader.read() == b""
            assert await until(lambda: application.cancelled)

    monkeypatch.setattr(connections, "LEFT_SECONDS", 0.01)
    asyncio.run(closes_by_half())


def test_an_answer_that_began_goes_on_until_it_can_not_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    async def closes_by_half() -> None:
        application = Application(begins=True)
        async with client_of(application) as (connection, reader, writer):
            writer.write_eof()
            assert await until(lambda: connection._ended and connection._deadline._timer is None)
            application.may_answer.set()
            assert b"the beginning, " in (found := await reader.read())
            assert found.endswith(b"all of it\r\n0\r\n\r\n")
        assert application.ended == 1

    monkeypatch.setattr(connections, "LEFT_SECONDS", 0.01)
    asyncio.run(closes_by_half())
