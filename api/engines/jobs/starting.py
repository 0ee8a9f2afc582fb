"""Starts the template process, and sends it jobs.

The service starts one before it forks its workers, and they share it. If it is killed, a worker that needs one starts
another.
"""

import socket
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Final

from ..work.process_apart import process_apart
from .job import Job

_PROGRAM: Final = "writ.api.engines.jobs.template"


class Template:
    """The template process of this process, or of the one that forked it.

    It ends by itself once all processes that could send it jobs have ended.
    """

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._places: tuple[str, ...] = ()

    def start(self, jobs: Iterable[Job[Any, Any]]) -> None:
        """Start the process, which imports the modules of `jobs`. Raises OSError if it can't be started."""
        self._places = tuple(job.place for job in jobs)
        self._start()

    def send(self, job: Job[Any, Any], files: Sequence[int]) -> None:
        """Start `job` with these files. Starts the template if there is none. Raises OSError if there can be none."""
        if self._socket is not None:
            with suppress(BrokenPipeError, ConnectionResetError):  # the template was killed
                self._send(self._socket, job, files)
                return
        self._send(self._start(), job, files)

    @property
    def process(self) -> int | None:
        """The process id, or None if none was started."""
        return None if self._process is None else self._process.pid

    def _send(self, to: socket.socket, job: Job[Any, Any], files: Sequence[int]) -> None:
        socket.send_fds(to, [job.place.encode()], files, socket.MSG_DONTWAIT)

    def _start(self) -> socket.socket:
        self._forget()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = process_apart(_PROGRAM, [theirs.fileno()], *self._places)
        self._socket = ours
        return ours

    def _forget(self) -> None:
        """Let go of a template, which ends then or was killed. The process that started it must reap it."""
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            self._process.wait()


TEMPLATE: Final = Template()
"""The template process. Workers inherit its socket when they are forked."""
