"""Starts real gateways with the example configurations of the page, in front of a service and a small backend."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from tests.support.server import ROOT
from tests.support.waiting import wait_until

EXAMPLES: Final = ROOT / "api/endpoints/gateway/examples"
KEY_PLACE: Final = "your-writ-key"
"""Stands in the examples for the gateway's own credential."""

LISTEN, WRIT, BACKEND = "127.0.0.1:8000", "127.0.0.1:8080", "127.0.0.1:9000"
"""The addresses of the examples."""

GRPC: Final = "envoy-grpc"
"""Envoy with its gRPC service."""

ATTACKS: Final = (
    "/documents/d1/../d2",
    "/documents/./d2",
    "/documents/d1/%2e%2e/d2",
    "/documents/%2e%2e/documents/d2",
    "/documents/d1%2f..%2fd2",
    "/documents/d1%5c..%5cd2",
    "/documents/d1\\..\\d2",
    "/documents//d1",
    "//documents/d1",
    "/documents/d1;x=/../d2",
    "/documents/d1%00",
    "/documents/d1%0d%0aX-Writ-Subject:%20user:alice",
    "/documents/%c0%af",
    "/documents/%252e%252e/d2",
    "/documents/d1#/../d2",
    "/documents/d1%23",
    "/documents/d1/",
    "/documents/D1",
    "http://evil.example/documents/d1",
    "documents/d1",
    "*",
)
"""Targets that some program could read as another one than the document `d1`, which alice may read."""

_NGINX: Final = """\
{user}daemon off;
pid {folder}/pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {example};
}}
"""
_CADDY: Final = """\
{{
	admin off
	auto_https off
	default_bind 127.0.0.1
	storage file_system {folder}
}}
import {example}
"""


class Product(NamedTuple):
    """A gateway: its example, its program, and the command that runs it on an example.

    The command gets the program, the example, a folder for its files, and the port to listen on.
    """

    example: str
    program: Callable[[], str | None]
    command: Callable[[str, Path, Path, int], list[str]]


class Filled(NamedTuple):
    """The values that a test fills into an example: ports on the loopback address, and the gateway's credential.

    `writ` is the port of the listener that the example asks: for HTTP or for gRPC.
    """

    listen: int
    writ: int
    backend: int
    key: str

    def into(self, text: str) -> str:
        """Returns an example with the ports and the key filled in."""
        pairs = [(LISTEN, f"127.0.0.1:{self.listen}"), (":8000", f":{self.listen}"), (KEY_PLACE, self.key)]
        pairs += [(WRIT, f"127.0.0.1:{self.writ}"), (BACKEND, f"127.0.0.1:{self.backend}")]
        for port, own in ((8000, self.listen), (8080, self.writ), (9191, self.writ), (9000, self.backend)):
            pairs.append((f"port_value: {port}", f"port_value: {own}"))
        for place, value in pairs:
            text = text.replace(place, value)
        return text


@contextmanager
def backend() -> Iterator[int]:
    """The port of a backend that answers with what it got."""
    line = [sys.executable, Path(__file__).with_name("echo_backend.py")]
    with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.kill()


@contextmanager
def gateway(
    name: str,
    folder: Path,
    filled: Filled,
    more: Mapping[str, str] | None = None,
    less: Sequence[str] = (),
    swaps: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Run a gateway with its example, filled in, until it listens; `folder` is new.

    Add `more` after lines of the example, leave the lines `less` out, and swap texts for others.
    """
    product = PRODUCTS[name]
    program = product.program()
    assert program is not None, f"{name} is not installed"
    folder.mkdir()
    example = folder / f"example-{product.example}"
    text = filled.into((EXAMPLES / product.example).read_text())
    added = {line: line + lines for line, lines in (more or {}).items()}
    for old, new in (added | dict.fromkeys(less, "") | dict(swaps or {})).items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    example.write_text(text)
    variables = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "TMPDIR": str(folder)}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            product.command(program, example, folder, filled.listen),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=variables,
            cwd=folder,
        )
    try:
        is_over = wait_until(lambda: _serves(filled.listen) or process.poll() is not None)
        assert is_over, f"{name} does not listen"
        assert process.poll() is None, (folder / "log").read_text()
        yield
    finally:
        process.terminate()
        process.wait(30)


def listens(port: int) -> bool:
    """Returns whether something accepts connections at a port of the loopback address."""
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def _serves(port: int) -> bool:
    """Returns whether a gateway has read its example: Traefik listens earlier, and answers 404 until then."""
    if not listens(port):
        return False
    with socket.create_connection(("127.0.0.1", port), 1) as connection, suppress(TimeoutError):
        connection.settimeout(1)
        connection.sendall(b"GET / HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n")
        return b" 404 " not in connection.recv(64)
    return True


def _sbin(program: str) -> str | None:
    """Returns the path of a program, or None if it is not installed; `sbin` is not on every path."""
    return shutil.which(program, path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))


def _of_extra(program: str) -> str | None:
    """Returns the path of a program: beside the interpreter if the extra `gateways` is installed, or on the path."""
    beside = Path(sys.executable).with_name(program)
    return str(beside) if beside.exists() else shutil.which(program)


def _nginx_command(program: str, example: Path, folder: Path, _listen: int) -> list[str]:
    main = folder / "main.conf"
    main.write_text(_NGINX.format(folder=folder, example=example, user="user root;\n" if os.getuid() == 0 else ""))
    return [program, "-p", str(folder), "-e", "stderr", "-c", str(main)]


def _caddy_command(program: str, example: Path, folder: Path, _listen: int) -> list[str]:
    main = folder / "Main"
    main.write_text(_CADDY.format(folder=folder, example=example))
    return [program, "run", "--config", str(main), "--adapter", "caddyfile"]


def _envoy_command(program: str, example: Path, _folder: Path, _listen: int) -> list[str]:
    return [program, "-c", str(example), "--use-dynamic-base-id", "--concurrency", "1", "--log-level", "warning"]


def _traefik_command(program: str, example: Path, _folder: Path, listen: int) -> list[str]:
    return [program, f"--entryPoints.web.address=127.0.0.1:{listen}", f"--providers.file.filename={example}"]


PRODUCTS: Final = {
    "nginx": Product("nginx.conf", lambda: _sbin("nginx"), _nginx_command),
    "caddy": Product("Caddyfile", lambda: _sbin("caddy"), _caddy_command),
    "envoy": Product("envoy.yaml", lambda: _of_extra("envoy"), _envoy_command),
    GRPC: Product("envoy-grpc.yaml", lambda: _of_extra("envoy"), _envoy_command),
    "traefik": Product("traefik.yaml", lambda: _of_extra("traefik"), _traefik_command),
}
"""The gateways that the tests run."""
