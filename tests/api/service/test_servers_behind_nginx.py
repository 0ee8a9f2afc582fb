"""nginx in front of three services on one PostgreSQL: decisions go on while one ends, hangs or loses its lease."""

import os
import signal
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import httpx
import pytest

from tests.api.conftest import ALLOWED
from tests.support.certificates import Authority
from tests.support.fronts import HOST, front_of_servers, program
from tests.support.ports import free_port
from tests.support.server import KEY, Server
from tests.support.servers_together import Together, keeper, tell, together
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.service, pytest.mark.skipif(program("nginx") is None, reason="nginx is not installed")]

JSON: Final = {"Content-Type": "application/json"}
AROUND: Final = 200
"""Decisions before an end and after it."""


class Behind(NamedTuple):
    """The services, and the proxy's URL."""

    services: Together
    url: str
    trust: ssl.SSLContext

    def client(self) -> httpx.Client:
        headers = {"Authorization": f"Bearer {KEY}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30, verify=self.trust)


@contextmanager
def behind_nginx(database: str, folder: Path, model: Path) -> Iterator[Behind]:
    authority, port = Authority(folder, "authority"), free_port()
    with together(database, folder, 0) as services:
        for _ in range(3):
            services.start(WRIT_PUBLIC_URL=f"https://{HOST}:{port}")
        ports = [server.port for server in services.servers]
        with front_of_servers(folder / "nginx", port, authority.pair("proxy"), ports):
            found = Behind(services, f"https://{HOST}:{port}", authority.trust())
            with found.client() as client:
                client.put(
                    "/v1/environments/default/model", content=model.read_bytes(), headers=JSON
                ).raise_for_status()
            yield found


class Asking:
    """Clients that ask through the proxy without a pause; `wrong` has all answers that are no right decision."""

    def __init__(self, behind: Behind, clients: int = 4) -> None:
        self.count, self.wrong, self._ended = 0, list[str](), threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(behind,)) for _ in range(clients)]

    def _ask(self, behind: Behind) -> None:
        with behind.client() as client:
            while not self._ended.is_set():
                try:
                    answer = client.post("/access/v1/evaluation", json=ALLOWED)
                except httpx.HTTPError as ex:
                    self.wrong.append(repr(ex))
                    continue
                if answer.status_code != 200 or answer.json()["decision"] is not True:
                    self.wrong.append(f"{answer.status_code} {answer.text}")
                self.count += 1

    def more(self, count: int = AROUND) -> None:
        """Wait until so many more are answered."""
        until = self.count + count
        assert wait_until(lambda: self.count >= until) is True

    def __enter__(self) -> "Asking":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()


def stop(server: Server) -> None:
    """End a service in order."""
    assert server.stop() == 0


def kill(server: Server) -> None:
    """End all processes of a service at once, in the middle of requests."""
    tell(server, signal.SIGKILL)
    server.process.wait(60)


def hang(server: Server) -> None:
    """A service stands still: its addresses take connections, and nobody answers."""
    tell(server, signal.SIGSTOP)


def lose_the_lease(server: Server) -> None:
    """A service can not prove any more that its decisions are of now, so it answers 500."""
    os.kill(keeper(server), signal.SIGSTOP)
    assert wait_until(lambda: httpx.get(f"{server.url}/readyz").status_code == 503) is True


@pytest.mark.parametrize("end", [stop, kill, hang, lose_the_lease])
def test_decisions_go_on_while_a_service_ends(
    end: Callable[[Server], None], database: str, tmp_path: Path, model_file: Path
) -> None:
    with behind_nginx(database, tmp_path, model_file) as behind:
        server = behind.services.servers[0]
        try:
            with Asking(behind) as asking:
                asking.more()
                end(server)
                asking.more()
                with behind.services.servers[1].client() as client:
                    written = client.post("/v1/environments/default/roles", json={"id": "new", "name": "new"})
                    assert written.status_code == 201, written.text
                asking.more()
            assert not asking.wrong, (asking.wrong[:5], len(asking.wrong), asking.count)
        finally:
            if server.process.poll() is None:
                tell(server, signal.SIGCONT)
