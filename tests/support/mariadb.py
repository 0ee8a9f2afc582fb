"""A MariaDB server of the tests' own, from Debian's package, or the MySQL at the socket in `MYSQL_SOCKET`.

A MySQL gets databases of the tests' names, and must let root in without a password.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pymysql

from tests.support.waiting import wait_until

_SOCKET: Final = "MYSQL_SOCKET"


def program() -> str | None:
    """Returns the path of the server, or None if it is not installed; `sbin` is not on every path."""
    found = shutil.which("mariadbd", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))
    return os.environ.get(_SOCKET, found)


def stored_json(value: Any) -> Any:
    """A JSON value as the server keeps it: MySQL makes a double of an integer beyond 64 bits, MariaDB does not."""
    if isinstance(value, dict):
        return {name: stored_json(member) for name, member in value.items()}
    if isinstance(value, list):
        return [stored_json(item) for item in value]
    is_beyond = isinstance(value, int) and not -(2**63) <= value < 2**64
    return float(value) if is_beyond and _SOCKET in os.environ else value


@contextmanager
def server(program: str) -> Iterator[pymysql.Connection]:
    """A connection to a server without users, on a socket only, whose data go away with it."""
    if _SOCKET in os.environ:
        yield pymysql.connect(unix_socket=program, user="root", charset="utf8mb4", autocommit=True)
        return
    with tempfile.TemporaryDirectory(prefix="writ-my-", ignore_cleanup_errors=True) as folder:
        data, socket = Path(folder, "data"), Path(folder, "socket")
        data.mkdir()
        if os.getuid() == 0:
            shutil.chown(folder, "nobody")
            shutil.chown(data, "nobody")
        options = ["--no-defaults", "--skip-grant-tables", "--skip-networking", "--character-set-server=utf8mb4"]
        options += [f"--datadir={data}", f"--socket={socket}", f"--pid-file={folder}/pid", "--innodb-log-file-size=4M"]
        options += ["--user=nobody"] if os.getuid() == 0 else []
        with Path(folder, "log").open("w") as log:
            running = subprocess.Popen([program, *options], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            connection = _connected(running, socket, Path(folder, "log"))
            with connection:
                yield connection
        finally:
            running.terminate()
            running.wait()


def _connected(running: subprocess.Popen[bytes], socket: Path, log: Path) -> pymysql.Connection:
    """A connection once the server says that it is ready."""
    wait_until(lambda: running.poll() is not None or "ready for connections" in log.read_text())
    assert running.poll() is None, log.read_text()
    assert "ready for connections" in log.read_text(), log.read_text()
    return pymysql.connect(unix_socket=str(socket), user="root", charset="utf8mb4", autocommit=True)
