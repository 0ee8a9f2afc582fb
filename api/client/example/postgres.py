"""A throwaway server of PostgreSQL, from the programs on this machine."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NONE = (
    "there is no server of PostgreSQL on this machine: install it (on Debian, `apt-get install postgresql`), "
    "or set DATABASE_URL to an empty database, such as postgresql+psycopg://user:password@host/database"
)


@contextmanager
def throwaway(folder: Path) -> Iterator[str]:
    """Starts a server whose data and socket are in the folder. Yields the URL of its database."""
    programs, user = _programs(), _user()
    if user is not None:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    data = folder / "data"
    _run(user, programs / "initdb", "--pgdata", data, "--encoding=UTF8", "--auth=trust", "--username=app", "--no-sync")
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
    _run(user, programs / "pg_ctl", "start", "-w", "-D", data, "-l", folder / "log", "-o", options)
    try:
        yield f"postgresql+psycopg://app@/postgres?host={folder}"
    finally:
        _run(user, programs / "pg_ctl", "stop", "-w", "-D", data, "-m", "fast")


def _programs() -> Path:
    """Returns the folder of `initdb` and `pg_ctl`. Debian does not put it into PATH."""
    found = shutil.which("pg_ctl")
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True)
    for place in (*packaged, *((Path(found).resolve().parent,) if found else ())):
        if (place / "initdb").exists() and (place / "pg_ctl").exists():
            return place
    raise SystemExit(NONE)


def _user() -> str | None:
    """Returns the user to run the server as, or None for the present one. PostgreSQL refuses to be root."""
    if os.getuid() != 0:
        return None
    return "postgres" if any(one.pw_name == "postgres" for one in pwd.getpwall()) else "nobody"


def _run(user: str | None, *command: object) -> None:
    # in a session of its own, so that Ctrl-C does not end the server before the application
    done = subprocess.run(  # noqa: S603
        [str(part) for part in command],
        user=user,
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
    )
    if done.returncode != 0:
        raise SystemExit(f"PostgreSQL does not start: {done.stdout}{done.stderr}".rstrip())
