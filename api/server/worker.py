"""The worker process: gunicorn's public worker interface, with an event loop of uvloop that serves `Connection`s."""

import asyncio
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import uvloop
from gunicorn.workers.base import Worker as BaseWorker

from ...bundles.event_loop import mark_event_loop
from ..settings.settings import HttpLimits
from .acceptor import Acceptor
from .connection_queues import Connections
from .lane_calls import Lane
from .owner import SideOwner
from .response_head import DateLine

HEARTBEAT_SECONDS: Final = 1.0
"""The seconds between two heartbeats of the worker, and between two checks that its master still lives."""

SWITCH_SECONDS: Final = 0.0002
"""The seconds for which a thread on a long call runs Python before the event loop has its turn. The event loop may wait
so long at each of its callbacks."""

STOPPING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)

HANDOVER_SECONDS: Final = 5.0
"""The seconds for which a replaced worker still serves beside HTTP, until another one does. Over HTTP, the workers
share one socket, where clients wait meanwhile.
"""

ENDING_SECONDS: Final = 6
"""The seconds before its master kills it in which a worker writes what is left, such as its part of the decision log.
Requests that are in work until then get no answer.
"""

_POLL_SECONDS: Final = 0.05


def hold_signals() -> None:
    """Keep signals back while a worker is forked, until it takes them itself.

    It starts with the master's handlers, which would lose them: the master then waits for it when it stops.
    """
    os.register_at_fork(
        before=partial(signal.pthread_sigmask, signal.SIG_BLOCK, STOPPING),
        after_in_parent=partial(signal.pthread_sigmask, signal.SIG_UNBLOCK, STOPPING),
    )


class Worker(BaseWorker):  # type: ignore[misc]  # gunicorn has no types
    """Serves one event loop. Gunicorn's `app` is the `Server` that started it; ours is the ASGI application."""

    loop: asyncio.AbstractEventLoop

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.service = self.app.service
        self.limits: HttpLimits = self.service.limits
        self.lane: Lane | None = self.service.lane
        self.connections = Connections(self.limits.connections, self.app.shares.take())
        self.date = DateLine()
        self._asgi = self.service.app
        self._acceptors: list[Acceptor] = []
        self._at_once = False
        self._side: SideOwner | None = None

    def init_signals(self) -> None:
        """Leave signals to the event loop."""

    def run(self) -> None:
        """Serve until a signal says stop, or the master is gone."""
        sys.setswitchinterval(SWITCH_SECONDS)
        mark_event_loop()
        for part in self.service.parts:
            part.start(self.connections.share.place)
        self.loop = uvloop.new_event_loop()
        asyncio.set_event_loop(self.loop)
        if self.service.side is not None:
            self._side = SideOwner(self.service.side, self, self.loop)
        try:
            self.loop.run_until_complete(self._serve())
        finally:
            self.loop.run_until_complete(self.loop.shutdown_asyncgens())
            self.loop.close()

    def refused(self, status: int, id: bytes) -> None:
        """Tell the parts of an answer to what could not be read as a request."""
        for part in self.service.parts:
            part.refused(status, id)

    def report(self, error: Exception) -> None:
        """Log a failure of the application that its own error handlers did not answer."""
        self.log.error("the application failed: %s", type(error).__name__, exc_info=error)

    async def application(self, scope: Any, receive: Any, send: Any) -> None:
        """Call the ASGI application."""
        await self._asgi(scope, receive, send)

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        self._take_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)  # uvloop sees none that came before it ran
        if self.service.beside is not None:
            await self.service.beside.start(self.app.pem)
        for listener in self.sockets:
            self._acceptors.append(Acceptor(self, listener, self.app.tls))
        if self._side is not None:
            self._acceptors.append(Acceptor(self._side, self._side.listener(), None))
        while self.alive and self.ppid == os.getppid():
            self.notify()
            self._beat()
            await self._pause(HEARTBEAT_SECONDS)
        await self._shut_down()

    def _beat(self) -> None:
        states = self.connections.states()
        for part in self.service.parts:
            self._call(part.beat)
            self._call(part.connections, states)

    def _take_signals(self) -> None:
        for number in self.SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        self.loop.add_signal_handler(signal.SIGTERM, self._end)
        for number in (signal.SIGINT, signal.SIGQUIT):
            self.loop.add_signal_handler(number, self._end, True)
        self.loop.add_signal_handler(signal.SIGUSR1, self.log.reopen_files)
        self.loop.add_signal_handler(signal.SIGWINCH, lambda: None)

    def _end(self, at_once: bool = False) -> None:
        self.alive, self._at_once = False, self._at_once or at_once
        self._stop.set()

    def _call(self, hook: Callable[..., None], *arguments: object) -> None:
        try:
            hook(*arguments)
        except Exception:  # what fails here fails again where it is asked for, and is answered there
            self.log.exception("what a worker does beside its requests failed")

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._stop.wait(), seconds)
        except TimeoutError:
            return

    async def _shut_down(self) -> None:
        """Accept nothing more, answer what is being served, and end early enough that the master kills nothing."""
        for acceptor in self._acceptors:
            acceptor.close()
        self.connections.stop()
        if self._side is not None:
            self._side.connections.stop()
        for part in self.service.parts:
            self._call(part.stop)
        deadline = self.loop.time() + self._request_seconds
        beside = self.loop.create_task(self._stop_beside())
        while (self.connections.present() or not beside.done()) and not self._at_once and self.loop.time() < deadline:
            self.notify()
            await asyncio.sleep(_POLL_SECONDS)
        if self.loop.time() >= deadline:
            self.log.warning(
                "gave up the requests in work, after %d seconds; their clients try again", self._request_seconds
            )
        beside.cancel()
        for part in reversed(self.service.parts):
            self._call(part.end)

    async def _stop_beside(self) -> None:
        if self.service.beside is None:
            return
        latest = self.loop.time() + HANDOVER_SECONDS
        while self.connections.share.is_missed() and self.loop.time() < latest:
            await asyncio.sleep(_POLL_SECONDS)
        await self.service.beside.stop(self._request_seconds)

    @property
    def _request_seconds(self) -> float:
        """The seconds that requests in work may take after the worker was asked to stop."""
        return max(0.0, float(self.cfg.graceful_timeout) - ENDING_SECONDS)


def leave_threads() -> None:
    """End the process at once if it has threads. No client waits for their work, and each of their writes is all or
    nothing.

    Python would wait for them, for as long as they take.
    """
    if threading.active_count() > 1:
        logging.shutdown()
        os._exit(0)
