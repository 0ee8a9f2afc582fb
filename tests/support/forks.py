"""Forks `writ` commands from a process that has imported them already: a third of a test run would go into imports."""

import atexit
import ctypes
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from writ.api.cli.main import COMMANDS, main

_FORKS: Final = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [
        "tests.support.hiding",
        __name__,
        *(f"writ.api.cli{command.module}" for command in COMMANDS.values()),
        "tests.support.prepared",
    ]
)


@dataclass(frozen=True)
class Line:
    """A command to fork: its words, its streams (files or open descriptors), its folder and its environment variables.

    `constants` are values that the command has instead of its own values, by module and name: how long it waits, for
    one.
    """

    words: Sequence[str]
    stdin: Path | Connection
    stdout: Path | Connection
    stderr: Path | Connection
    cwd: Path
    environment: Mapping[str, str]
    constants: Mapping[str, object] = field(default_factory=dict)


class Forked:
    """A running command, with the part of `subprocess.Popen` that tests use."""

    def __init__(self, line: Line):
        self.args = line.words
        umask = os.umask(0)
        os.umask(umask)
        self._process = _FORKS.Process(target=_run, args=(line, umask))
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, -N after signal N, or None while the command runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Returns the exit code, or None while the command runs."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Returns the exit code. Raises subprocess.TimeoutExpired if the command runs on for `timeout` seconds."""
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(list(self.args), timeout or 0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the command has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM, unless the command has ended."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL, unless the command has ended."""
        self.send_signal(signal.SIGKILL)


def _run(line: Line, umask: int) -> None:
    """Do what the console script does, in a process that is made to look as if a shell had started it."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND
    for descriptor, stream in enumerate((line.stdin, line.stdout, line.stderr)):
        opened = os.open(stream, flags) if isinstance(stream, Path) else os.dup(stream.fileno())
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdin = open(0)  # noqa: SIM115 - multiprocessing has put another one in its place
    os.environ.clear()
    os.environ.update(line.environment)
    os.umask(umask)
    os.chdir(line.cwd)
    for name, value in line.constants.items():
        module, _, constant = name.rpartition(".")
        setattr(import_module(module), constant, value)
    sys.argv = list(line.words)
    files = _open_files()
    code: object = 0
    try:
        main()
    except SystemExit as ex:
        code = ex.code or 0
    assert isinstance(code, int)
    _end(code, files)


def _end(code: int, files: int) -> None:
    """End as an interpreter ends, but leave the memory that forks share: to free it took most of a short command.

    Threads end, what the command registered runs, and its garbage is collected. If more files are open than its
    `files` at the start, the interpreter ends: it closes the rest. multiprocessing would skip all of this.
    """
    threading._shutdown()
    atexit._run_exitfuncs()
    gc.collect()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        ctypes.pythonapi.Py_Exit(code)  # says so, with an exit code of its own
    if _open_files() > files:
        ctypes.pythonapi.Py_Exit(code)
    os._exit(code)


def _open_files() -> int:
    """The number of files, sockets and pipes that this process has open."""
    return len(os.listdir("/proc/self/fd"))
