"""A MariaDB server of the tests' own, from Debian's package: the nearest to MySQL that Debian has."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pymysql


def program() -> str | None:
    """Returns the path of the server, or None if it is not installed; `sbin` is not on every path."""
    return shutil.which("mariadbd", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin")))


@contextmanager
def server(program: str) -> Iterator[pymysql.Connection]:
    """A connection to a server without users, on a socket only, whose data go away with it."""
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
    for _ in range(600):
        assert running.poll() is None, log.read_text()
        if "ready for connections" in log.read_text():
            return pymysql.connect(unix_socket=str(socket), user="root", charset="utf8mb4", autocommit=True)
        time.sleep(0.05)
    raise AssertionError(log.read_text())
