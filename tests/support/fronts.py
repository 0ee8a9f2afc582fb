"""Runs the TLS proxies of the deployment page, with their files, in front of a Unix socket or a port."""

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.support.certificates import Pair
from tests.support.gateways import PRODUCTS, listens
from tests.support.server import ROOT
from tests.support.waiting import wait_until

FILES: Final = {"nginx": ROOT / "api/deployment/nginx.conf", "caddy": ROOT / "api/deployment/Caddyfile"}
SERVERS_FILE: Final = ROOT / "api/deployment/nginx-servers.conf"
"""nginx in front of several servers."""

HOST: Final = "localhost"
"""The name that the certificates of the tests are for."""

_SOCKET: Final = {"nginx": "unix:/run/writ/writ.sock", "caddy": "unix//run/writ/writ.sock"}
_CADDY_OWN: Final = "\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system {folder}\n"


def program(name: str) -> str | None:
    """Returns the path of a proxy, or None if it is not installed."""
    return PRODUCTS[name].program()


@contextmanager
def front(name: str, folder: Path, port: int, pair: Pair, writ: Path | int) -> Iterator[None]:
    """Run a proxy with its file on `port` of this machine, until it listens.

    `writ` is the socket or the port to pass requests to. `folder` is new, for the files of the proxy.
    """
    with _serving(name, filled(name, port, pair, writ, folder), folder, port):
        yield


@contextmanager
def front_of_servers(folder: Path, port: int, pair: Pair, servers: Sequence[int]) -> Iterator[None]:
    """Run nginx in front of the services at three ports of this machine, on `port`, until it listens."""
    text = _named("nginx", SERVERS_FILE.read_text(), port, pair)
    for number, server in enumerate(servers, 1):
        text = _replaced(text, f"server writ-{number}:8080 ", f"server 127.0.0.1:{server} ")
    with _serving("nginx", text, folder, port):
        yield


@contextmanager
def _serving(name: str, text: str, folder: Path, port: int) -> Iterator[None]:
    """Run a proxy with the text of its file."""
    found = program(name)
    assert found is not None, f"{name} is not installed"
    folder.mkdir()
    file = folder / FILES[name].name
    file.write_text(text)
    command = (
        [found, "run", "--config", str(file), "--adapter", "caddyfile"]
        if name == "caddy"
        else PRODUCTS[name].command(found, file, folder, port)
    )
    variables = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "TMPDIR": str(folder)}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=variables, cwd=folder)
    try:
        assert wait_until(lambda: listens(port) or process.poll() is not None)
        assert process.poll() is None, (folder / "log").read_text()
        yield
    finally:
        process.terminate()
        process.wait(30)


def filled(name: str, port: int, pair: Pair, writ: Path | int, folder: Path) -> str:
    """Returns the file of a proxy with the names of a test in place of those of the page."""
    socket = _SOCKET[name]
    at = f"127.0.0.1:{writ}" if isinstance(writ, int) else socket.replace("/run/writ/writ.sock", str(writ))
    text = _replaced(_named(name, FILES[name].read_text(), port, pair), socket, at)
    return text.replace("{\n\tservers", "{\n" + _CADDY_OWN.format(folder=folder) + "\tservers", 1)


def _named(name: str, text: str, port: int, pair: Pair) -> str:
    """Returns the text of a file with the address and the certificate of a test."""
    places: Mapping[str, tuple[str, str]] = {
        "nginx": ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        "caddy": ("\nwrit.example {\n", f"\nhttps://{HOST}:{port} {{\n\tbind 127.0.0.1\n"),
    }
    text = _replaced(text, *places[name])
    text = _replaced(text, "/etc/writ/tls/chain.pem", str(pair.certificate))
    text = _replaced(text, "/etc/writ/tls/key.pem", str(pair.key))
    text = text.replace("error_log /var/log/nginx/error.log ", "error_log stderr ")
    return text.replace("server_name writ.example;", f"server_name {HOST};")


def _replaced(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, old
    return text.replace(old, new)
