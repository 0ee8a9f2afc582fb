"""Several services on one database of PostgreSQL, each with its processes: master, workers, and keeper of the lease."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Final, Protocol, TypeAlias

import httpx

from tests.support.histories import Operation, faults
from tests.support.history_clients import SECONDS, Histories
from tests.support.network_namespaces import Network
from tests.support.processes import children
from tests.support.server import KEY, Server, command, environment, started
from tests.support.waiting import wait_until

PAUSE: Final = 0.01
"""Seconds between two operations of a client: several services share the cores of the tests with other tests."""

LARGE_EVERY: Final = 5
"""The number of writes of a client of which one has no delta, so that each service needs a new bundle."""

LEASE: Final = 1.0
"""Seconds of a lease in these tests."""

LEAST: Final = 10
"""Writes and reads of a run, so that a history without operations shows nothing."""

MOST_SECONDS: Final = 60.0
"""Seconds of a run on a machine that is so busy that there are few of them."""

PUBLIC_URL: Final = "https://writ.example"
"""The URL that all services call theirs, as behind a balancer."""

KINDS: Final = "audit", "bundle", "signing"
"""The kinds of keys that all services have from the same files."""


Record: TypeAlias = Callable[[str, object], None]
"""Keeps a property of a test by its name, for `tests.bench.server_faults`: pytest's `record_property`."""


class Where(Protocol):
    """The machine of a service, with its address for clients."""

    @property
    def address(self) -> str:
        """An IPv4 address."""

    def within(self, line: Sequence[str]) -> list[str]:
        """Returns the command line that runs `line` there."""


class Together:
    """The services. All have the administrator's key of the tests, the same other keys, and the same public URL."""

    def __init__(self, url: str, folder: Path, stack: ExitStack, workers: int = 2) -> None:
        self.url, self.servers = url, list[Server]()
        self._folder, self._stack, self._workers, self._numbers = folder, stack, workers, count()

    def start(self, *arguments: str, place: Where | None = None, **settings: str) -> Server:
        """Starts one more, on a machine of its own or here."""
        number = next(self._numbers)
        data, address = self._folder / f"data{number}", place.address if place else "127.0.0.1"
        line = command(
            "serve", "--data", str(data), "--bind", f"{address}:0", "--workers", str(self._workers), *arguments
        )
        line = place.within(line) if place else line
        shared = {f"WRIT_{kind.upper()}_KEY": str(self._folder / f"{kind}.pem") for kind in KINDS}
        own = {
            "WRIT_PUBLIC_URL": PUBLIC_URL,
            "WRIT_ADMIN_KEY": KEY,
            "WRIT_STORE": self.url,
            "WRIT_LEASE_SECONDS": str(LEASE),
            **shared,
            **settings,
        }
        log = self._folder / f"server{number}.log"
        server = self._stack.enter_context(started(line, environment(own), log, self._folder))
        self.servers.append(server)
        return server

    def make_keys(self) -> None:
        """Make the keys that all servers have."""
        for name in KINDS:
            made = ["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(self._folder / f"{name}.pem")]
            subprocess.run(made, check=True, capture_output=True)


@contextmanager
def together(url: str, folder: Path, size: int, workers: int = 2) -> Iterator[Together]:
    """Yields so many services on the database of a URL."""
    with ExitStack() as stack:
        services = Together(url, folder, stack, workers)
        services.make_keys()
        for _ in range(size):
            services.start()
        yield services


@contextmanager
def apart(url: str, folder: Path, network: Network, size: int) -> Iterator[Together]:
    """Yields so many services on the database of a URL, each at a place of its own in a network."""
    with together(url, folder, 0) as services:
        for _ in range(size):
            services.start(place=network.place())
        yield services
        for server in services.servers:  # in order, one would wait for connections that were cut
            tell(server, signal.SIGKILL)


def found_under(
    services: Together, fault: Callable[[Together], None], seconds: float = 5.0, patience: float = SECONDS
) -> Histories:
    """The history of clients of all services while a fault happens again and again.

    A client waits for an answer for so many seconds of `patience`.
    """
    histories, urls = Histories(KEY, patience, PAUSE, LARGE_EVERY), [server.url for server in services.servers]
    histories.begin(urls[0])
    with histories.going_on(urls, urls):
        began = time.monotonic()
        while time.monotonic() < began + seconds or (
            not shows_something(histories.operations) and time.monotonic() < began + MOST_SECONDS
        ):
            fault(services)
    return histories


def outlast(leases: float) -> None:
    """Let so many leases pass. A lease is a time, on a machine of any speed."""
    time.sleep(leases * LEASE)


def go_on(histories: Histories, operations: int = 5) -> None:
    """Wait until so many more operations have ended."""
    wanted = len(histories.operations) + operations
    assert wait_until(lambda: len(histories.operations) >= wanted), "the clients do not go on"


def shows_something(found: Sequence[Operation]) -> bool:
    """Returns whether a history has enough operations to show a fault."""
    writes = sum(one.is_write and one.ended is not None for one in found)
    return min(writes, sum(not one.is_write for one in found)) > LEAST


def assert_sound(found: Sequence[Operation], fails_over: bool = False) -> None:
    """There is no fault in a history that has something to show."""
    assert not faults(found, fails_over)
    assert shows_something(found)


def record(keep: Record, histories: Histories, fault: str) -> None:
    """Keep and print how long nothing was written, and nothing decided, under a fault."""
    writes, decisions = (histories.longest_without(is_write) for is_write in (True, False))
    for name, value in (("fault", fault), ("writes", f"{writes:.2f}"), ("decisions", f"{decisions:.2f}")):
        keep(name, value)
    print(f"\n{fault}: {writes:.2f} s without writes, {decisions:.2f} s without decisions")


def ask(server: Server, headers: Mapping[str, str] | None = None) -> httpx.Response:
    """The answer to an evaluation."""
    asked = {"subject": {"type": "user", "id": "a"}, "action": {"name": "read"}, "resource": {"type": "x", "id": "1"}}
    with server.client() as client:
        return client.post("/access/v1/evaluation", json=asked, headers=headers)


def status_with_key(server: Server, key: str) -> int:
    """The status of the answer to an evaluation with an API key. Without a lease, the service has none but 500."""
    status = wait_until(lambda: (found := ask(server, {"Authorization": f"Bearer {key}"}).status_code) < 500 and found)
    assert isinstance(status, int)
    return status


def decision(server: Server) -> int:
    """The status of the answer to an evaluation."""
    return ask(server).status_code


def revision_token(server: Server) -> str:
    """The token of the revision that decides. On a busy machine, the service may have no lease for a moment."""
    token = wait_until(lambda: ask(server).headers.get("Writ-Revision"))
    assert isinstance(token, str)
    return token


def processes(server: Server) -> list[int]:
    """Returns the process ids of a service: its master, its workers, and the keeper of its lease."""
    return [server.process.pid, *children(server.process.pid)]


def keeper(server: Server) -> int:
    """Returns the process id of the keeper of a service's lease."""
    (found,) = (one for one in children(server.process.pid) if b"keeping" in Path(f"/proc/{one}/cmdline").read_bytes())
    return found


def tell(server: Server, number: signal.Signals) -> None:
    """Send a signal to all processes of a service at once."""
    for process in processes(server):
        with suppress(ProcessLookupError):
            os.kill(process, number)
