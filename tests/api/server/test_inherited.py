"""Socket activation: a service takes the socket that a service manager keeps, and clients wait through a restart."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.raw_http import RawConnection, request
from tests.support.server import command, environment, started

HEALTH = request("GET", "/healthz")
HAND_OVER = """
import os, sys
file, count, *words = sys.argv[1:]
os.dup2(int(file), 3)
os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": count}
os.execv(words[0], words)
"""
"""Hands a file over as systemd does: as file 3, with the number of the process."""


def line(file: int, count: str, data: Path, *arguments: str) -> list[str]:
    """The command line of a service that is handed a file, and told of `count`."""
    serve = command("serve", "--data", str(data), "--workers", "1", *arguments)
    return [sys.executable, "-c", HAND_OVER, str(file), count, *serve]


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as made:
        made.set_inheritable(True)
        yield made


@contextmanager
def serving(listener: socket.socket, tmp_path: Path, *arguments: str):
    with started(
        line(listener.fileno(), "1", tmp_path / "data", *arguments),
        environment({"WRIT_ADMIN_KEY": "x" * 32}),
        tmp_path / "log",
        tmp_path,
        pass_fds=(listener.fileno(),),
    ) as server:
        yield server


def test_a_client_waits_while_the_service_is_started_again(listener: socket.socket, tmp_path: Path) -> None:
    port = listener.getsockname()[1]
    with serving(listener, tmp_path) as server:
        assert server.port == port
        with RawConnection("127.0.0.1", port) as connection:
            connection.send(HEALTH)
            assert connection.answer().status == 200
        assert server.stop() == 0
    with RawConnection("127.0.0.1", port) as waiting:
        waiting.send(HEALTH)
        with serving(listener, tmp_path, "--bind", f"127.0.0.1:{port}"):
            assert waiting.answer().status == 200


def test_the_file_of_a_unix_socket_stays(tmp_path: Path) -> None:
    """Under systemd, its folder is not Writ's, which could not remove it. Without it, clients can't wait."""
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as listener, (tmp_path / "log").open("wb") as log:
        listener.bind(str(path))
        listener.listen()
        words, variables = line(listener.fileno(), "1", tmp_path / "data"), environment({"WRIT_ADMIN_KEY": "x" * 32})
        process = subprocess.Popen(words, env=variables, stdout=log, stderr=log, pass_fds=(listener.fileno(),))
        try:
            with httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), timeout=60) as client:
                assert client.get("http://writ/healthz").status_code == 200
            process.terminate()
            assert process.wait(60) == 0, (tmp_path / "log").read_text()
            assert path.is_socket()
        finally:
            process.kill()
            process.wait()


@pytest.mark.parametrize(
    ("listens", "count", "sentence"),
    [
        (True, "1", "leave `--bind` out"),
        (True, "2", "handed over 2 sockets; Writ takes one"),
        (False, "1", "no listening stream socket"),
    ],
)
def test_what_does_not_fit_is_refused(
    listener: socket.socket, tmp_path: Path, listens: bool, count: str, sentence: str
) -> None:
    file = listener.fileno() if listens else 0
    done = subprocess.run(
        line(file, count, tmp_path / "data", "--bind", "127.0.0.1:1"),
        stdin=subprocess.DEVNULL,
        env=environment(),
        pass_fds=(listener.fileno(),),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_sockets_of_another_process_are_not_taken(tmp_path: Path) -> None:
    """A service that a manager started through a wrapper inherits its variables."""
    variables = environment({"WRIT_ADMIN_KEY": "x" * 32}) | {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
    words = command("serve", "--data", str(tmp_path / "data"), "--bind", "127.0.0.1:0", "--workers", "1")
    with started(words, variables, tmp_path / "log", tmp_path) as server:
        assert server.port != 8080
