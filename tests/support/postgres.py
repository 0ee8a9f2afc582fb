"""A PostgreSQL server of the tests' own, from Debian's package, on a socket in a directory that goes away again."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def programs() -> Path | None:
    """Returns the folder of `initdb` and `pg_ctl`, or None if PostgreSQL's server is not installed."""
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    found = shutil.which("pg_ctl")
    for place in (*reversed(packaged), *((Path(found).resolve().parent,) if found else ())):
        if (place / "initdb").exists() and (place / "pg_ctl").exists():
            return place
    return None


@contextmanager
def server(place: Path) -> Iterator[str]:
    """A connection string to a server that listens on a socket only and writes nothing safely, since nothing stays."""
    with tempfile.TemporaryDirectory(prefix="writ-pg-", ignore_cleanup_errors=True) as folder:
        directory, as_whom = Path(folder), _owner()
        if as_whom:
            os.chown(directory, pwd.getpwnam(as_whom).pw_uid, -1)
        data = directory / "data"
        locale = ["--encoding=UTF8", "--locale=C.UTF-8", "--auth=trust", "--username=writ", "--no-sync"]
        _run(as_whom, [place / "initdb", "--pgdata", data, *locale])
        options = f"-c listen_addresses= -c unix_socket_directories={directory} -c fsync=off -c max_connections=20"
        _run(as_whom, [place / "pg_ctl", "start", "-w", "-D", data, "-l", directory / "log", "-o", options])
        try:
            yield f"host={directory} user=writ dbname=postgres"
        finally:
            _run(as_whom, [place / "pg_ctl", "stop", "-w", "-D", data, "-m", "immediate"])


def _owner() -> str | None:
    """Whom to run the server as: it refuses to be root."""
    if os.getuid() != 0:
        return None
    users = {user.pw_name for user in pwd.getpwall()}
    return "postgres" if "postgres" in users else "nobody"


def _run(as_whom: str | None, command: list[object]) -> None:
    done = subprocess.run(
        list(map(str, command)), user=as_whom, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
