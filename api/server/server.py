"""The server process: gunicorn's master, which loads the application once and shares it with its workers."""

import gc
import logging
import os
import resource
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from gunicorn.app.base import BaseApplication

from ..settings.settings import STOP_SECONDS, TEXT_LINES, HttpLimits
from ..telemetry.log import LOG
from .lane_calls import Lane
from .listening import BACKLOG
from .owner import SideAddress
from .shares import Shares
from .supervision.master import LAST_SECONDS, Master
from .supervision.notices import Notices
from .supervision.part import Part
from .tls import TlsContents, TlsFiles, UnusableTls
from .worker import Worker, hold_signals, leave_threads

_SILENCE_SECONDS: Final = 30
SPARE_FILES: Final = 256
"""Files of a worker that are no connections."""


class Beside(Protocol):
    """A server of another protocol than HTTP, in the event loop of each worker."""

    async def start(self, pem: TlsContents | None) -> None:
        """Serve, with TLS if there are files for it. The worker accepts connections over HTTP afterwards."""

    async def stop(self, seconds: float) -> None:
        """Take nothing more, and wait for what is in work, this long at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """A service: `app` is an ASGI application, `listener` listens.

    `is_inherited` says that the listener goes on after the service. `tls` are the files to serve TLS with; without them
    it is plain HTTP. `lane` answers hot decision calls without the application. `held` is kept open for as long as the
    service runs. `side` is served beside it, on another address. Each worker runs `beside`, with the same TLS.

    `parts` live in the workers and in the master. If the service is asked to stop by TERM, it serves on for
    `drain_seconds`. Then it ends within `stop_seconds`.
    """

    app: Any
    listener: socket.socket
    is_inherited: bool = False
    limits: HttpLimits
    workers: int
    log_level: str
    log_format: str = TEXT_LINES
    tls: TlsFiles | None = None
    side: SideAddress | None = None
    lane: Lane | None = None
    held: tuple[object, ...] = ()
    beside: Beside | None = None
    parts: Sequence[Part] = ()
    drain_seconds: float = 0.0
    stop_seconds: int = STOP_SECONDS


class Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """The application object that gunicorn's master runs."""

    def __init__(self, service: Service) -> None:
        self.tls: ssl.SSLContext | None = None
        self.pem: TlsContents | None = None
        self.service = service
        self.shares = Shares(service.workers)
        # Gunicorn closes the number that it is given; a reload reads the settings again.
        self._listener = service.listener.detach()
        super().__init__()

    def load_config(self) -> None:
        """Give gunicorn its settings; none come from a file or the environment."""
        for name, value in self._settings().items():
            self.cfg.set(name, value)
        if self.service.tls is not None:
            self._read_tls(self.service.tls)

    def _read_tls(self, files: TlsFiles) -> None:
        """Gunicorn reads its settings again at SIGHUP, and so is a renewed certificate."""
        try:
            context, pem = files.context(), files.pem()
        except UnusableTls as error:
            if self.tls is None:
                raise
            logging.getLogger(LOG).error("%s; the certificate that was read before stays", error)
        else:
            self.tls, self.pem = context, pem
            for part in self.service.parts:
                part.certificates(pem)
            fault = files.fault_of_dates(pem.certificate, datetime.now(UTC))
            if fault is not None:
                logging.getLogger(LOG).warning("%s", fault)

    def load(self) -> Any:
        """The ASGI application."""
        return self.service.app

    def run(self) -> None:
        """Run the master. Ends the process."""
        Master(self, Notices.of(os.environ)).run()

    def _worker_gone(self, worker: Worker) -> None:
        self.shares.release(worker.connections.share)
        for part in self.service.parts:
            part.worker_gone(worker.pid)

    def _end_service(self) -> None:
        for part in reversed(self.service.parts):
            part.end_service()

    def _settings(self) -> dict[str, object]:
        return {
            "bind": f"fd://{self._listener}",
            "workers": self.service.workers,
            "worker_class": Worker,
            "preload_app": True,  # the workers share the bundle's mapping, and its pages
            "backlog": BACKLOG,
            "timeout": _SILENCE_SECONDS,
            "graceful_timeout": self.service.stop_seconds - LAST_SECONDS,  # gunicorn kills its workers then
            "control_socket_disable": True,
            "when_ready": lambda _: _spare_collections(),
            "on_reload": lambda _: self.shares.reload(),
            "child_exit": lambda _, worker: self._worker_gone(worker),
            "worker_exit": lambda _, __: leave_threads(),
            "on_exit": lambda _: self._end_service(),
            "accesslog": None,
            "errorlog": "-",
            # What gunicorn tells at `debug` has the path of every request, where a client may have put a secret.
            "loglevel": "info" if self.service.log_level == "debug" else self.service.log_level,
            "proc_name": "writ",
        }


def _spare_collections() -> None:
    """Let the garbage collector skip all that exists before the first worker is forked.

    The objects live as long as the service. A collection in a worker would copy their pages, and would delay its end.
    """
    gc.collect()
    gc.freeze()


def run(service: Service) -> None:
    """Serve until a signal says stop: TERM gracefully, INT and QUIT at once. Ends the process."""
    hold_signals()
    Server(service).run()


def within_open_files(limits: HttpLimits, log: logging.Logger) -> HttpLimits:
    """`limits`, with as many connections as the system lets this process open; asks it for more first."""
    needed = limits.connections + SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return limits
    allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed == needed:
        return limits
    connections = max(1, allowed - SPARE_FILES)
    log.warning("the limit of open files (%d) allows %d connections per worker", allowed, connections)
    return replace(limits, connections=connections)
