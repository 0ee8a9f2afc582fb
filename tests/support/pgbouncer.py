"""PgBouncer, a pooler in front of a PostgreSQL server of the tests."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from tests.support.ports import free_port
from tests.support.postgres import owner
from tests.support.waiting import wait_until


def program() -> str | None:
    """Returns the path of PgBouncer, or None if it is not installed."""
    return shutil.which("pgbouncer") or shutil.which("/usr/sbin/pgbouncer")


@contextmanager
def pooler(program: str, server: str, mode: str) -> Iterator[str]:
    """Yields a URL that reaches `server` through a pooler in that mode."""
    with tempfile.TemporaryDirectory(prefix="writ-pooler-") as folder:
        Path(folder).chmod(0o755)
        settings = Path(folder) / "pgbouncer.ini"
        given, port = conninfo_to_dict(server), free_port()
        settings.write_text(
            f"[databases]\n* = host={given['host']} user={given['user']}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
            f"auth_type = any\npool_mode = {mode}\nignore_startup_parameters = options\n"
        )
        command = [program, str(settings)]
        process = subprocess.Popen(command, user=owner(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        url = f"postgresql://{given['user']}@127.0.0.1:{port}/{given['dbname']}"
        try:
            _wait(url)
            yield url
        finally:
            process.kill()
            process.wait()


def _wait(url: str) -> None:
    assert wait_until(lambda: _answers(url)), "the pooler does not answer"


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True
