"""The worker process: gunicorn's asyncio worker, serving `Connection`s and stopping without delay."""

import asyncio
import os
import signal
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from gunicorn.workers.gasgi import ASGIWorker

from ..settings import HttpLimits
from .connection import Connection
from .tls_server import TlsServer

HEARTBEAT_SECONDS: Final = 1.0
"""How often the master hears of the worker, and the worker looks whether its master still lives."""


STOPPING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)


def hold_signals() -> None:
    """Keep signals back while a worker is forked, until it takes them itself.

    It starts with the master's handlers, which would lose them: the master then waits for it in vain when it stops.
    """
    os.register_at_fork(
        before=partial(signal.pthread_sigmask, signal.SIG_BLOCK, STOPPING),
        after_in_parent=partial(signal.pthread_sigmask, signal.SIG_UNBLOCK, STOPPING),
    )


class Worker(ASGIWorker):  # type: ignore[misc]  # gunicorn has no types
    """Runs one event loop, uvloop where it is installed; `app` is the `Server` that started it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.limits: HttpLimits = self.app.limits
        self.connections: set[Connection] = set()
        self.newcomers: dict[Connection, None] = {}
        self.answered: dict[Connection, None] = {}
        self._stop = asyncio.Event()

    def handle_exit_signal(self) -> None:
        """Stop gracefully: requests in work are answered."""
        super().handle_exit_signal()
        self._stop.set()

    def handle_quit_signal(self) -> None:
        """Stop at once."""
        super().handle_quit_signal()
        self._stop.set()

    async def _serve(self) -> None:
        """Gunicorn's own has no way to name the protocol class, and shortens the backlog."""
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)  # uvloop sees none that came before it ran
        for listener in self.sockets:
            self.servers.append(await self._server(listener))
        while self.alive and self.ppid == os.getppid():
            self.notify()
            self._call(self.app.heartbeat)
            await self._pause()
        await self._shutdown()

    async def _server(self, listener: Any) -> Any:
        if self.app.tls is not None:
            return TlsServer(self, listener, self.app.tls)
        return await self.loop.create_server(partial(Connection, self), sock=listener.sock, backlog=self.cfg.backlog)

    def _call(self, hook: Callable[[], None]) -> None:
        try:
            hook()
        except Exception:  # what fails here fails again where it is asked for, and is answered there
            self.log.exception("what a worker does beside its requests failed")

    async def _pause(self) -> None:
        try:
            await asyncio.wait_for(self._stop.wait(), HEARTBEAT_SECONDS)
        except TimeoutError:
            return

    async def _shutdown(self) -> None:
        for server in self.servers:
            server.close()
        for connection in tuple(self.connections):
            connection.close_if_idle()
        await super()._shutdown()
        self._call(self.app.worker_ends)
