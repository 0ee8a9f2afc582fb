"""Gunicorn's master, as Writ needs it: it serves on before it stops, and tells the service manager how it is."""

import logging
import os
import queue
import signal
import threading
import time
from typing import Any, Final

from gunicorn.arbiter import Arbiter

from ...telemetry.log_lines import lines_of
from ..listening import ignore_newcomers
from .notices import Notices

HANDSHAKE_SECONDS: Final = 0.1
"""The seconds for which a service that stops still accepts those that have begun to connect."""


LAST_SECONDS: Final = 2
"""The last seconds of a stop. The workers have ended or are killed, and the master ends what it has itself, such as the
lease of a server.
"""


class Master(Arbiter):  # type: ignore[misc]  # gunicorn has no types
    """Gunicorn's master, which starts no second one, and serves on for a while before it stops.

    Gunicorn calls `manage_workers` about every second, and `reap_workers` while it waits for workers that end.
    """

    def __init__(self, server: Any, notices: Notices) -> None:
        """`server` is the `Server` to run."""
        self._notices = notices
        self._limit: threading.Timer | None = None
        super().__init__(server)

    def setup(self, app: Any) -> None:
        """Gives gunicorn's messages the format of the log. A reload comes here too, and makes new handlers."""
        super().setup(app)
        for handler in self.log.error_log.handlers:
            handler.setFormatter(lines_of(app.service.log_format))

    def start(self) -> None:
        """Gunicorn would log the address of a service with TLS as `http`."""
        if self.app.service.tls is not None:
            self.log.error_log.addFilter(_name_https)
        super().start()

    def handle_usr2(self) -> None:
        """A second master would have neither the command line nor the lock of the data directory."""
        self.log.warning("USR2 is ignored: to update Writ, stop the service and start the new version")

    def handle_term(self) -> None:
        """Let readiness fail first, and go on, so that balancers send no new requests when the workers stop."""
        service = self.app.service
        self._notices.stopping()
        if service.drain_seconds:
            for part in service.parts:
                part.drain()
            self.log.info("stopping in %g seconds; readiness fails from now on", service.drain_seconds)
            self._go_on(service.drain_seconds)
        super().handle_term()

    def reload(self) -> None:
        """Replace the workers, and tell the service manager."""
        self._notices.reloading()
        super().reload()
        self._notices.reloaded()

    def stop(self, graceful: bool = True) -> None:
        """End the workers, and tell the service manager. From now on, the process ends within the limit of a stop."""
        self._notices.stopping()
        self._keep_limit()
        if graceful and not self.app.service.is_inherited:
            for listener in self.LISTENERS:
                ignore_newcomers(listener.sock)
            time.sleep(HANDSHAKE_SECONDS)
        self.systemd = self.app.service.is_inherited  # gunicorn then leaves the file of a Unix socket to its owner
        super().stop(graceful)

    def kill_workers(self, sig: int) -> None:
        """Send a signal to all workers, and say so if it takes what they have in work."""
        if sig == signal.SIGKILL and self.WORKERS:
            self.log.error("killed the workers that did not end in time: %s", ", ".join(map(str, self.WORKERS)))
        super().kill_workers(sig)

    def wait_for_signals(self, timeout: float = 1.0) -> list[int]:
        """Returns the signals that came within `timeout` seconds, or earlier if there is something to tell."""
        signals: list[int] = super().wait_for_signals(self._notices.poll_seconds(timeout))
        return signals

    def manage_workers(self) -> None:
        """Start and end workers until there are as many as wanted, and tell the service manager if all serve."""
        super().manage_workers()
        for part in self.app.service.parts:
            part.tend()
        self._tell()

    def reap_workers(self) -> None:
        """Forget the workers that ended, and tell the service manager that the service is alive."""
        super().reap_workers()
        self._tell()

    def _tell(self) -> None:
        self._notices.workers_serve(self.app.shares.serving(), self.num_workers)

    def _keep_limit(self) -> None:
        """End the process at the limit of a stop, whatever it waits for then. Nothing forks from here on."""
        if self._limit is None:
            self._limit = threading.Timer(self.app.service.stop_seconds, self._give_up)
            self._limit.daemon = True
            self._limit.start()

    def _give_up(self) -> None:
        self.log.error(
            "the stop took %d seconds; what the service does last is given up", self.app.service.stop_seconds
        )
        os._exit(1)

    def _go_on(self, seconds: float) -> None:
        """Replace workers that end, for some seconds or until another signal says stop."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                number = self.SIG_QUEUE.get(timeout=min(left, 1.0))
            except queue.Empty:
                number = None
            if number in (signal.SIGINT, signal.SIGQUIT):
                self.SIG_QUEUE.put_nowait(number)  # `stop` ends the workers at once then
                return
            if number == signal.SIGTERM:
                return
            self.reap_workers()
            self.murder_workers()
            self.manage_workers()


def _name_https(record: logging.LogRecord) -> bool:
    if str(record.msg).startswith("Listening at") and isinstance(record.args, tuple):
        address, *others = record.args
        record.args = (str(address).replace("http://", "https://"), *others)
    return True
