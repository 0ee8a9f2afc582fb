"""The HTTP service in this process, on one connection without a socket: bytes in, bytes out.

Application, decision lane, store, engines and connection are the real ones. Only the worker around them and the
transport are not. So what a request costs in Python can be counted, without the kernel. `http.in_process` measures the
same in processor time, in a process that lets the application answer too.
"""

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from itertools import repeat
from pathlib import Path
from typing import Any
from unittest.mock import patch

import uvloop
from writ.api.cli.start_model import prepare_model
from writ.api.endpoints.decisions import slices
from writ.api.server.connection import Connection
from writ.api.server.connection_queues import Connections
from writ.api.server.response_head import DateLine
from writ.api.server.server import Service
from writ.api.server.shares import Shares
from writ.api.service.server_program import ServerOptions
from writ.api.service.start import ServiceStart
from writ.api.settings.settings import Settings

from tests.bench.http.in_process import Taken
from tests.bench.models import Document
from tests.support.server import KEY

_OPTIONS = ServerOptions(
    bind="127.0.0.1:0",
    default_bind="127.0.0.1:0",
    envoy_bind=None,
    workers=1,
    tls=None,
    decision_log=None,
    metrics_bind=None,
    drain_seconds=0.0,
    log_level="error",
    log_format=None,
)


class MemoryOwner:
    """The worker around the connection. See `writ.api.server.owner.Owner`.

    Its event loop does not run, so no deadline passes, and the application never answers.
    """

    def __init__(self, service: Service, loop: asyncio.AbstractEventLoop) -> None:
        self.loop, self.limits, self.lane = loop, service.limits, service.lane
        self.connections = Connections(service.limits.connections, Shares(1).take())
        self.date = DateLine()

    async def application(self, *_: object) -> None:
        """See `Owner`."""
        raise AssertionError("the lane left a request to the application")

    def refused(self, status: int, _id: bytes) -> None:
        """See `Owner`."""
        raise AssertionError(f"a request was refused with {status}")

    def report(self, error: Exception) -> None:
        """See `Owner`."""
        raise error


class MemoryService:
    """One connection to the service."""

    def __init__(self, service: Service, loop: asyncio.AbstractEventLoop) -> None:
        self._transport: Any = Taken()
        self._connection = Connection(MemoryOwner(service, loop))
        self._connection.connection_made(self._transport)

    def ask(self, request: bytes) -> bytes:
        """Returns the answer to a request of the lane, with its head, which must be a 200."""
        transport, before = self._transport, self._transport.count
        self._connection.data_received(request)
        assert transport.count == before + 1, "the lane left a request to the application"
        written = transport.last
        assert isinstance(written, bytes)
        assert written.startswith(b"HTTP/1.1 200 "), written
        return written


@contextmanager
def serving(document: Document, folder: Path) -> Iterator[MemoryService]:
    """Yields the service over a model, with its data in `folder`. The credential is the administrator's key.

    The clock of slices stands still: else a batch on a slow machine is left to the application after a few items.
    """
    model = folder / "model.json"
    model.write_text(json.dumps({"model": 1} | document))
    log = logging.getLogger("bench")
    start = ServiceStart(folder / "data", _OPTIONS, Settings(admin_key=KEY), log)
    with redirect_stderr(StringIO()):
        prepare_model(folder / "data", start.store, (model,), demo=False, log=log)
    service, loop = start.finish(), uvloop.new_event_loop()
    try:
        with patch.object(slices, "perf_counter", repeat(0.0).__next__):
            yield MemoryService(service, loop)
    finally:
        loop.close()
        service.listener.close()
