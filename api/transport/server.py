"""The server process: gunicorn's master, which loads the application once and shares it with its workers."""

import logging
import math
import resource
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from gunicorn.app.base import BaseApplication

from ..log import LOG
from ..settings import HttpLimits
from .listening import BACKLOG
from .tls import TlsFiles, UnusableTls
from .worker import Worker, hold_signals

GRACEFUL_SECONDS: Final = 30
"""How long requests in work may take after the service was asked to stop."""

MOST_REQUEST_LINE: Final = 32 * 1024
"""Bytes of a request's first line: four ids of 512 characters (E1), 12 bytes a percent-encoded one, and a cursor fit.

Gunicorn says that the setting ends at 8,190, which holds for its WSGI parsers, not for the two of its ASGI worker.
"""

_SILENCE_SECONDS: Final = 30
_SPARE_FILES: Final = 256


@dataclass(frozen=True, slots=True)
class Service:
    """What to serve, where and with how much: `app` is an ASGI application, `listener` listens.

    `tls` are the files to serve TLS with; without them it is plain HTTP. `held` is kept open for as long as the service
    runs; `heartbeat` is called by each worker every second, `worker_ends` by each when it stops, `service_ends` when
    all of them have.
    """

    app: Any
    listener: socket.socket
    limits: HttpLimits
    workers: int
    log_level: str
    tls: TlsFiles | None = None
    held: tuple[object, ...] = ()
    heartbeat: Callable[[], None] = lambda: None
    worker_ends: Callable[[], None] = lambda: None
    service_ends: Callable[[], None] = lambda: None


class Server(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """The application object that gunicorn's master runs."""

    def __init__(self, service: Service) -> None:
        self.limits = service.limits
        self.heartbeat, self.worker_ends = service.heartbeat, service.worker_ends
        self.tls: ssl.SSLContext | None = None
        self._service = service
        # Gunicorn closes the number that it is given; a reload reads the settings again.
        self._listener = service.listener.detach()
        super().__init__()

    def load_config(self) -> None:
        """Give gunicorn its settings; none come from a file or the environment."""
        for name, value in self._settings().items():
            self.cfg.set(name, value)
        if self._service.tls is not None:
            self._read_tls(self._service.tls)

    def _read_tls(self, files: TlsFiles) -> None:
        """Gunicorn reads its settings again at SIGHUP, and so is a renewed certificate."""
        try:
            self.tls = files.context()
        except UnusableTls as error:
            if self.tls is None:
                raise
            logging.getLogger(LOG).error("%s; the certificate that was read before stays", error)

    def load(self) -> Any:
        """The ASGI application."""
        return self._service.app

    def _settings(self) -> dict[str, object]:
        limits = self._service.limits
        return {
            "bind": f"fd://{self._listener}",
            "workers": self._service.workers,
            "worker_class": Worker,
            "preload_app": True,  # the workers share the bundle's mapping, and its pages
            "backlog": BACKLOG,
            "limit_request_line": MOST_REQUEST_LINE,
            # Gunicorn's own wait for a piece of a body uses it too, and must outlast our deadline.
            "timeout": max(_SILENCE_SECONDS, math.ceil(limits.body_seconds) + 5),
            "graceful_timeout": GRACEFUL_SECONDS,
            "asgi_disconnect_grace_period": 0,
            "forwarded_allow_ips": "",  # no header of a client is believed
            "control_socket_disable": True,
            "on_exit": lambda _: self._service.service_ends(),
            "accesslog": None,
            "errorlog": "-",
            # What gunicorn tells at `debug` has the path of every request, where a client may have put a secret.
            "loglevel": "info" if self._service.log_level == "debug" else self._service.log_level,
            "proc_name": "writ",
        }


def run(service: Service) -> None:
    """Serve until a signal says stop: TERM gracefully, INT and QUIT at once. Ends the process."""
    hold_signals()
    Server(service).run()


def within_open_files(limits: HttpLimits, log: logging.Logger) -> HttpLimits:
    """`limits`, with as many connections as the system lets this process open; asks it for more first."""
    needed = limits.connections + _SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return limits
    allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed == needed:
        return limits
    connections = max(1, allowed - _SPARE_FILES)
    log.warning("the limit of open files (%d) allows %d connections per worker", allowed, connections)
    return replace(limits, connections=connections)
