"""A PostgreSQL server of the tests' own, from Debian's package, on a socket in a directory that goes away again."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.support.small_disk import small_disk


def programs() -> Path | None:
    """Returns the folder of `initdb` and `pg_ctl`, or None if PostgreSQL's server is not installed."""
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    found = shutil.which("pg_ctl")
    for place in (*reversed(packaged), *((Path(found).resolve().parent,) if found else ())):
        if (place / "initdb").exists() and (place / "pg_ctl").exists():
            return place
    return None


def needed() -> Path:
    """Returns the folder as `programs` does. Skips the test if there is none."""
    return programs() or pytest.skip("PostgreSQL's server is not installed: apt-get install postgresql")


@contextmanager
def server(place: Path, fsync: bool = False, address: str = "", megabytes: int = 0) -> Iterator[str]:
    """A connection string to a server that listens on a socket, and at an IPv4 address if one is given.

    It writes nothing safely, since nothing stays, but with `fsync`. Its data is on a disk of so many `megabytes`.
    """
    with _folder() as (directory, as_whom), _data(directory, as_whom, megabytes) as data:
        locale = ["--encoding=UTF8", "--locale=C.UTF-8", "--auth=trust", "--username=writ", "--no-sync"]
        # The log of the database has a disk with room: without, the database stops at once.
        log = ["--waldir", directory / "wal"] if megabytes else []
        _run(as_whom, [place / "initdb", "--pgdata", data, *locale, *log])
        with (data / "pg_hba.conf").open("a") as rules:
            rules.write("host all,replication all samenet trust\n")
        with _running(place, directory, as_whom, fsync, address) as conninfo:
            yield conninfo


@contextmanager
def replica(place: Path, primary: str, address: str = "") -> Iterator[tuple[str, Callable[[], None]]]:
    """A connection string to a replica of the server `primary`, and the function that promotes it."""
    with _folder() as (directory, as_whom):
        data = directory / "data"
        copy = ["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--wal-method=stream"]
        _run(as_whom, [place / "pg_basebackup", "--pgdata", data, "--dbname", primary, *copy])
        with _running(place, directory, as_whom, address=address) as conninfo:
            yield conninfo, lambda: _run(as_whom, [place / "pg_ctl", "promote", "-w", "-D", data])


@contextmanager
def _folder() -> Iterator[tuple[Path, str | None]]:
    """A folder for a server, and whom to run it as."""
    with tempfile.TemporaryDirectory(prefix="writ-pg-", ignore_cleanup_errors=True) as folder:
        directory, as_whom = Path(folder), owner()
        if as_whom:
            os.chown(directory, pwd.getpwnam(as_whom).pw_uid, -1)
        yield directory, as_whom


@contextmanager
def _data(directory: Path, as_whom: str | None, megabytes: int) -> Iterator[Path]:
    """The folder of the data, on a disk of its own if that has a size."""
    data = directory / "data"
    if not megabytes:
        yield data
        return
    with small_disk(data, megabytes):
        if as_whom:
            os.chown(data, pwd.getpwnam(as_whom).pw_uid, -1)
        yield data


@contextmanager
def _running(
    place: Path, directory: Path, as_whom: str | None, fsync: bool = False, address: str = ""
) -> Iterator[str]:
    data = directory / "data"
    _start(place, directory, as_whom, fsync, address)
    try:
        yield f"host={directory} user=writ dbname=postgres"
    finally:
        if (data / "postmaster.pid").exists():  # else a test has ended it
            _run(as_whom, [place / "pg_ctl", "stop", "-w", "-D", data, "-m", "immediate"])


def _start(place: Path, directory: Path, as_whom: str | None, fsync: bool = False, address: str = "") -> None:
    options = f"-c listen_addresses={address} -c unix_socket_directories={directory} -c max_connections=100"
    options += "" if fsync else " -c fsync=off"
    _run(as_whom, [place / "pg_ctl", "start", "-w", "-D", directory / "data", "-l", directory / "log", "-o", options])


def _directory(conninfo: str) -> Path:
    return Path(str(conninfo_to_dict(conninfo)["host"]))


def back_up(place: Path, conninfo: str) -> None:
    """Makes a base backup of a server beside its data, for `bring_back`."""
    copy = ["--checkpoint=fast", "--no-sync", "--wal-method=stream"]
    _run(owner(), [place / "pg_basebackup", "--pgdata", _directory(conninfo) / "copy", "--dbname", conninfo, *copy])


def restart(place: Path, conninfo: str, copy: bool = False) -> None:
    """Let a server restart after a crash, or with `copy` on its base backup."""
    directory, as_whom = _directory(conninfo), owner()
    data = directory / "data"
    _run(as_whom, [place / "pg_ctl", "stop", "-w", "-D", data, "-m", "immediate"])
    if copy:
        _run(as_whom, ["rm", "-r", data])
        _run(as_whom, ["cp", "-a", directory / "copy", data])
    _start(place, directory, as_whom)


def owner() -> str | None:
    """Returns the user that the server runs as, or None for that of the tests. The server refuses to be root."""
    if os.getuid() != 0:
        return None
    users = {user.pw_name for user in pwd.getpwall()}
    return "postgres" if "postgres" in users else "nobody"


def _run(as_whom: str | None, command: list[object]) -> None:
    done = subprocess.run(
        list(map(str, command)), user=as_whom, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
