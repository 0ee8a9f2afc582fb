"""The keeper of a server's lease as a process: the server starts it, starts it again, and ends it.

It is no thread of a worker, where it would wait for decisions, and none of the master, which forks.
"""

import logging
import socket
import subprocess
import time
from contextlib import suppress
from typing import Final

from ...store.database.commit_signal import CommitSignal
from ...store.errors import StoreUnavailable
from ...store.leases.lease_cell import LeaseCell, is_live
from ..jobs.job_messages import encoded
from ..work.process_apart import process_apart
from .keeper_request import KeeperRequest

FIRST_LEASE_SECONDS: Final = 15.0
"""The seconds that a start waits for its first lease."""

END_SECONDS: Final = 10.0
"""The seconds that the keeper may take to give the lease back. A writer removes its row if it was killed."""

_POLL_SECONDS: Final = 0.01
_PROGRAM: Final = "writ.api.engines.leases.keeping"


class KeeperProcess:
    """See the module. Used by the process that forks the workers."""

    def __init__(self, request: KeeperRequest, cell: LeaseCell, log: logging.Logger) -> None:
        self._request, self._cell, self._log = request, cell, log
        self._signal: CommitSignal | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None

    def start(self, signal: CommitSignal) -> None:
        """Start the process, and wait for the first lease. `signal` is that of the workers.

        Raises StoreUnavailable if no lease comes, OSError.
        """
        self._signal = signal
        self._start()
        assert self._process is not None
        until = time.monotonic() + FIRST_LEASE_SECONDS
        while not is_live(self._cell.end[0]):
            if time.monotonic() > until or self._process.poll() is not None:
                self.end()
                raise StoreUnavailable("this server gets no lease from its database; the lines above say why")
            time.sleep(_POLL_SECONDS)

    def tend(self) -> None:
        """Start the process again if it has ended. The workers answer no decisions until it has a lease."""
        if self._process is not None and self._process.poll() is not None:
            self._log.error("the process that keeps this server's lease has ended; it is started again")
            with suppress(OSError):  # the next call tries again
                self._start()

    def end(self) -> None:
        """Let the process end the lease, and wait for its end."""
        process, self._process = self._process, None
        if process is None or self._channel is None:
            return
        with suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)  # also for the forks that have the socket
        self._channel.close()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _start(self) -> None:
        assert self._signal is not None
        ours, theirs = socket.socketpair()
        with theirs:
            files = [self._cell.descriptor, theirs.fileno(), self._signal.descriptor]
            self._process = process_apart(_PROGRAM, files)
        if self._channel is not None:
            self._channel.close()
        self._channel = ours
        ours.sendall(encoded(self._request))
