"""Starts the real service as a separate process, on a free port and a temporary directory, and stops it."""

import os
import re
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.support.forks import Forked, Line
from tests.support.waiting import PATIENCE_SECONDS, wait_until

ROOT = Path(__file__).parents[2]
WITHOUT = Path(__file__).with_name("without")
"""First on the path of every process that is started: see the modules in it."""

KEY = "a-key-for-tests-of-32-characters"

_RUN = "from writ.api.cli.main import main; main()"
_ENVOY = re.compile(r"asks over gRPC at \S+:(\d+)")
_URL = re.compile(r"decides at (https?://(\S+):(\d+))")


def environment(extra: Mapping[str, str] | None = None, path: Sequence[Path] = ()) -> dict[str, str]:
    """The environment of a `writ` process: this one's without any setting of Writ or Python, and `extra`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WRIT_", "PYTHON"))}
    kept["PYTHONPATH"] = os.pathsep.join(str(folder) for folder in (*path, WITHOUT, ROOT))
    return kept | dict(extra or {})


def command(*arguments: str) -> list[str]:
    """The command line of `writ` with these arguments."""
    return [sys.executable, "-c", _RUN, *arguments]


class Server:
    """A running service; `log` is all that it wrote, to both streams."""

    def __init__(
        self, process: subprocess.Popen[bytes] | Forked, log: Path, key: str, trust: ssl.SSLContext | None = None
    ) -> None:
        """`trust` is what a client of a service with TLS takes its certificate by."""
        self.process = process
        self.key = key
        self.trust = trust
        self._log = log
        self.url, self.host, port = self._wait_for_address()
        self.port = int(port)
        self._wait_until_ready()

    @property
    def log(self) -> str:
        """Returns the output of the processes so far."""
        return self._log.read_text()

    @property
    def envoy_port(self) -> int:
        """The port of the listener for Envoy's checks over gRPC."""
        found = _ENVOY.search(self.log)
        assert found is not None, "the service has no such listener"
        return int(found[1])

    def client(self) -> httpx.Client:
        """A client that sends the administrator's key."""
        return httpx.Client(
            base_url=self.url, headers={"Authorization": f"Bearer {self.key}"}, timeout=30, verify=self.trust or False
        )

    def stop(self, with_signal: int = signal.SIGTERM) -> int:
        """Ask the service to stop, wait for it, and give its exit code; kill what does not stop."""
        self.process.send_signal(with_signal)
        try:
            return self.process.wait(PATIENCE_SECONDS)
        finally:
            self.process.kill()

    def _wait_for_address(self) -> tuple[str, str, str]:
        found = wait_until(lambda: _URL.search(self.log) or self._ended())
        assert isinstance(found, re.Match), f"the service did not start:\n{self.log}"
        return found[1], found[2], found[3]

    def _wait_until_ready(self) -> None:
        assert wait_until(self._is_ready) is True, f"the service did not get ready:\n{self.log}"

    def _is_ready(self) -> object:
        try:
            return (
                httpx.get(f"{self.url}/readyz", timeout=5, verify=self.trust or False).status_code == 200
                or self._ended()
            )
        except httpx.TransportError:
            return self._ended()

    def _ended(self) -> str | None:
        return None if self.process.poll() is None else "ended"


@contextmanager
def running(
    directory: Path,
    *arguments: str,
    settings: Mapping[str, str] | None = None,
    path: Sequence[Path] = (),
    workers: int = 1,
    trust: ssl.SSLContext | None = None,
) -> Iterator[Server]:
    """A service on `directory`, with the administrator's key preset; `settings` are environment variables."""
    line = command("serve", "--data", str(directory), "--bind", "127.0.0.1:0", "--workers", str(workers), *arguments)
    variables = environment({"WRIT_ADMIN_KEY": KEY} | dict(settings or {}), path)
    with started(line, variables, directory.parent / f"{directory.name}.log", directory.parent, trust) as server:
        yield server


@contextmanager
def started(
    line: Sequence[str],
    variables: Mapping[str, str],
    log: Path,
    cwd: Path,
    trust: ssl.SSLContext | None = None,
    pass_fds: Sequence[int] = (),
) -> Iterator[Server]:
    """A service that the command `line` starts in `cwd`, with the key `KEY` among its environment `variables`.

    It inherits the files `pass_fds`.
    """
    process = _process(line, variables, log, cwd, pass_fds)
    try:
        server = Server(process, log, KEY, trust)
        yield server
        if process.poll() is None:
            server.stop()
    finally:
        process.kill()
        process.wait()


def _process(
    line: Sequence[str], variables: Mapping[str, str], log: Path, cwd: Path, pass_fds: Sequence[int]
) -> subprocess.Popen[bytes] | Forked:
    """Fork a plain `writ`; start any other command, and a `writ` that is to find other modules, as a new program."""
    log.write_bytes(b"")
    words = list(line[len(command()) :])
    if [*line] == command(*words) and variables.get("PYTHONPATH") == environment()["PYTHONPATH"]:
        nothing = Path(os.devnull)
        return Forked(Line(["writ", *words], nothing, log, log, cwd, variables))
    with log.open("wb") as output:
        return subprocess.Popen(
            line,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=variables,
            cwd=cwd,
            pass_fds=pass_fds,
        )


def hide_modules(folder: Path, *names: str) -> Path:
    """Write into `folder` what hides the modules from a process that has it first on its path."""
    folder.mkdir()
    for name in names:
        (folder / f"{name}.py").write_text('raise ImportError("hidden by a test")\n')
    return folder
