"""The processor time of a request within a worker's process: `python -m tests.bench.http.in_process [PYTHON]`.

The connection of a real service gets the bytes of requests, and no socket, kernel or event loop is between. So the
figures are quieter than those of `versions`, and show what Python code costs. PYTHON is an interpreter that has another
version installed: both versions then take turns, and the last figure is how many times as long the other one takes.
With `--profile KIND`, this version says where the time of such a request goes.
"""

import argparse
import asyncio
import cProfile
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

import uvloop
from writ.api.cli.main import main as command_line
from writ.api.server.connection import Connection
from writ.api.server.connection_queues import Connections
from writ.api.server.response_head import DateLine
from writ.api.server.shares import Shares
from writ.bundles.event_loop import mark_event_loop

from tests.bench.gateways import check, model
from tests.bench.http.busy_load import post
from tests.bench.http.questions import DECIDED, POLICIES, questions
from tests.bench.http.versions import TITLES, calls
from tests.bench.http.writ_service import Writ
from tests.bench.models import company
from tests.support.server import KEY, environment

GATEWAY: Final = "gateway"
ALL: Final = {
    **{kind: title for kind, title in TITLES.items() if kind != DECIDED},
    GATEWAY: "check of a gateway",
    "same": "evaluation of the same",
}
"""The kinds of requests. Threads of the application answer some filters for a context, and they are no part of this."""

ADMIN: Final = {"Authorization": f"Bearer {KEY}"}
PATIENCE_SECONDS: Final = 10.0
PAUSE_SECONDS: Final = 0.0005
QUESTIONS, BATCHES = 500, 100
WARMING: Final = 1_000
"""The times that all are asked before any is timed, so that the functions of all plans are written."""

_READY: Final = "ready"


class Taken:
    """A transport that counts what is written, and keeps the last of it as long as no other is written.

    If it kept all, the figures would have the system's work for new memory in them.
    """

    def __init__(self) -> None:
        self.last, self.count = b"", 0

    def write(self, data: bytes) -> None:
        """See `asyncio.WriteTransport`."""
        self.last = data
        self.count += 1

    def get_extra_info(self, name: str, default: object = None) -> object:
        """The peer is a client of the same machine, over plain HTTP."""
        return {"peername": ("127.0.0.1", 1), "sockname": ("127.0.0.1", 2)}.get(name, default)

    def get_write_buffer_size(self) -> int:
        """All is taken."""
        return 0

    def pause_reading(self) -> None:
        """See `asyncio.ReadTransport`."""

    def resume_reading(self) -> None:
        """See `asyncio.ReadTransport`."""

    def close(self) -> None:
        """See `asyncio.BaseTransport`."""


class Client:
    """A client on one connection of a service."""

    def __init__(self, service: Any) -> None:
        """`service` is what `writ serve` would run in a worker."""
        mark_event_loop()
        for part in service.parts:
            part.start(0)
        self._loop, self._transport = uvloop.new_event_loop(), Taken()
        owner = SimpleNamespace(
            loop=self._loop,
            limits=service.limits,
            connections=Connections(service.limits.connections, Shares(1).take()),
            lane=service.lane,
            date=DateLine(),
            application=service.app,
            refused=lambda *_: None,
            report=lambda error: print(repr(error), file=sys.stderr),
        )
        self._connection: Any = Connection(owner)  # type: ignore[arg-type]  # the members that a connection uses
        self._connection.connection_made(self._transport)

    def ask(self, request: bytes) -> bytes:
        """The answer to a request, also if the application has to give it, in several pieces."""
        transport, pieces, latest = self._transport, list[bytes](), time.monotonic() + PATIENCE_SECONDS
        with patch.object(transport, "write", pieces.append):
            self._connection.data_received(request)
            while not _is_whole(b"".join(pieces)) and time.monotonic() < latest:
                self._loop.run_until_complete(_pause())
        answer = b"".join(pieces)
        assert answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")), answer
        return answer

    def timed(self, requests: Sequence[bytes]) -> float:
        """The microseconds of processor time of a request."""
        receive, transport = self._connection.data_received, self._transport
        latest = time.monotonic() + 10 * PATIENCE_SECONDS
        began = time.process_time_ns()
        for request in requests:
            asked = transport.count
            receive(request)
            while transport.count == asked:  # the application answers it
                assert time.monotonic() < latest, "there is no answer"
                self._loop.run_until_complete(_pause())
        return (time.process_time_ns() - began) / len(requests) / 1e3


async def _pause() -> None:
    """Let the application go on."""
    await asyncio.sleep(PAUSE_SECONDS)


def _is_whole(answer: bytes) -> bool:
    head, end, body = answer.partition(b"\r\n\r\n")
    return bool(end) and len(body) >= int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])


def serve(service: Any, requests: dict[str, list[bytes]], lines: Sequence[str]) -> None:
    """Do in turn what the lines of the standard input ask for: time the requests of a kind, or profile them."""
    client = Client(service)
    client.ask(_admin("POST", "/v1/environments", {"id": "few"}))
    client.ask(_admin("PUT", "/v1/environments/few/model", model(10)))
    settings = {"subject": {"header": "X-Writ-Subject"}, "trusted_proxies": ["127.0.0.1"]}
    client.ask(_admin("PUT", "/v1/environments/few/gateway", settings))
    for some in requests.values():
        for _ in range(2):
            for request in some:
                client.ask(request)
        for _ in range(WARMING):
            client.timed(some)
    print(_READY, flush=True)
    for line in lines or sys.stdin:
        print(client.timed(requests[line.strip()]), flush=True)
        if lines:
            profile = cProfile.Profile()
            profile.runcall(client.timed, requests[line.strip()])
            profile.create_stats()
            profile.print_stats("tottime")


def _admin(method: str, path: str, body: object) -> bytes:
    text = json.dumps(body).encode()
    fields = f"Host: writ\r\nContent-Type: application/json\r\nAuthorization: Bearer {KEY}\r\n"
    return f"{method} {path} HTTP/1.1\r\n{fields}Content-Length: {len(text)}\r\n\r\n".encode() + text


def child(folder: str, *profiled: str) -> None:
    """Run the service of a folder in this process, without its sockets."""
    place = Path(folder)
    stored = json.loads((place / "requests.json").read_text())
    requests = {kind: [one.encode() for one in some] for kind, some in stored.items()}
    line = ["writ", "serve", "--data", str(place / "data"), "--import", str(place / "model.json")]
    with (
        patch("writ.api.cli.serve.run", lambda service: serve(service, requests, profiled)),
        patch.object(sys, "argv", [*line, "--bind", "127.0.0.1:0", "--workers", "1"]),
    ):
        command_line()


def prepare(place: Path) -> None:
    """Write the model and the requests into a folder."""
    document = company(POLICIES)
    found = {
        kind: [post(call, ADMIN) for call in some]
        for kind, some in calls(Writ(document), questions(document, time.time(), QUESTIONS, BATCHES)).items()
    }
    found["same"] = found["single"][:1] * len(found["single"])
    found[GATEWAY] = [check("few", f"d{number % 100}") for number in range(len(found["single"]))]
    (place / "model.json").write_text(json.dumps({"model": 1} | document))
    (place / "requests.json").write_text(
        json.dumps({kind: [one.decode() for one in some] for kind, some in found.items()})
    )


class Version:
    """A version of Writ in a process of its own."""

    def __init__(self, python: str, place: Path, *profiled: str) -> None:
        variables = environment({"WRIT_ADMIN_KEY": KEY})
        if python != sys.executable:
            variables["PYTHONPATH"] = str(Path.cwd())
        line = [python, "-m", __spec__.name if __spec__ else __name__, "--child", str(place), *profiled]
        self._log = place / "log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=variables
            )
        self._said(lambda line: line == _READY)

    def timed(self, kind: str) -> float:
        """The microseconds of processor time of a request of a kind."""
        assert self._process.stdin is not None
        print(kind, file=self._process.stdin, flush=True)
        return float(self._said(lambda line: line[:1].isdigit()))

    def _said(self, is_it: Callable[[str], bool]) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if is_it(line.strip()):
                return line.strip()
        raise SystemExit(f"the service failed:\n{self._log.read_text()}")

    def show(self) -> None:
        """Print what it says."""
        assert self._process.stdout is not None
        print(self._process.stdout.read())

    def end(self) -> None:
        """Let the process go."""
        self._process.kill()
        self._process.wait()


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("python", nargs="?", help="the interpreter of the other version")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--profile", choices=ALL, help="the kind of requests to profile")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        prepare(place)
        if options.profile:
            Version(sys.executable, place, options.profile).show()
            return
        versions = []
        for number, python in enumerate([sys.executable, *filter(None, [options.python])]):
            own = place / str(number)
            own.mkdir()
            for name in ("model.json", "requests.json"):
                (own / name).write_bytes((place / name).read_bytes())
            versions.append(Version(python, own))
        found: dict[str, list[list[float]]] = {kind: [] for kind in ALL}
        for _ in range(options.rounds):
            for kind, times in found.items():
                times.append([one.timed(kind) for one in versions])
        for one in versions:
            one.end()
    for kind, title in ALL.items():
        shown = f"{title:22}{median(times[0] for times in found[kind]):8.2f} µs"
        if len(versions) > 1:
            shown += f"   other {median(times[1] / times[0] for times in found[kind]):5.2f} times as long"
        print(shown)


if __name__ == "__main__":
    main()
