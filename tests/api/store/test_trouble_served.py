"""A server in trouble: a full disk, a damaged database. No answer names a file, and a full disk lets the model out."""

import os
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import httpx
import pytest
from writ.api.service.routes.all_routes import ROUTES
from writ.api.service.upkeep.audit_upkeep import READ_ONLY

from tests.support.processes import children
from tests.support.server import Server, running

MODEL = {
    "model": 1,
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "subjects": [{"type": "user", "id": f"u{number}", "attributes": {"a": "x" * 200}} for number in range(300)],
    "policies": [
        {"id": "p", "effect": "ALLOW", "resource_types": [{"resource_type_id": "document", "actions": ["read"]}]}
    ],
}
NAMES = {"env": "default", "id": "x", "client_id": "x", "type": "user", "revision": "1"} | {
    "member": "x",
    "folder": "app",
    "file": "start.js",
}
EXPORT = "/v1/environments/default/model"
QUESTION = {
    "subject": {"type": "user", "id": "u1"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}
UNRECORDED = "exported a model, which is not in the audit log"
MANY = [{"type": "user", "id": f"u{number}"} for number in range(1_001)]
"""More than a delta may have, so that there is a bundle."""

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@contextmanager
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a file system of its own, of a few MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    size = ["-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)]
    if mount is None or subprocess.run([mount, *size], capture_output=True).returncode:
        pytest.skip("`mount` needs an administrator, who can mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextmanager
def served(directory: Path) -> Iterator[tuple[Server, dict[str, str]]]:
    """A server with a model, and a key of each scope."""
    with running(directory, settings={"WRIT_STALE_SECONDS": "1"}) as server, server.client() as admin:
        tag = admin.get(EXPORT).headers["ETag"]
        assert admin.put(EXPORT, json=MODEL, headers={"If-Match": tag}).status_code == 200
        keys = {}
        for scope in ("read", "write", "admin"):
            body = {"name": scope, "scopes": [scope]} | ({"environments": ["default"]} if scope == "admin" else {})
            answer = admin.post("/v1/api-keys", json=body)
            assert answer.status_code == 201, answer.text
            keys[scope] = answer.json()["key"]
        yield server, keys


FRAMING = ("content-encoding", "content-length", "transfer-encoding")


def answers(server: Server, key: str) -> Iterator[tuple[str, httpx.Response]]:
    """Ask every route with a key, writes too."""
    with httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:
        for route in ROUTES:
            for method in route.methods:
                path = route.path.format(**NAMES)
                name = f"{method} {route.path}"
                if "oauth" in path:
                    form = "grant_type=client_credentials&token=x&client_id=x&client_secret=x"
                    yield name, client.request(method, path, content=form, headers=FORM)
                elif method == "GET":
                    yield name, got(client, path)
                else:
                    body = MODEL if path == EXPORT else {"id": "n", "name": "n", "evaluations": [QUESTION]} | QUESTION
                    yield name, client.request(method, path, json=body, headers={"If-Match": "*"})


def got(client: httpx.Client, path: str) -> httpx.Response:
    """The answer to a GET, as far as it came: a model that can't be read to its end is cut off after its 200."""
    with client.stream("GET", path) as answer:
        pieces: list[bytes] = []
        with suppress(httpx.RemoteProtocolError):
            pieces.extend(answer.iter_bytes())
        headers = [(name, value) for name, value in answer.headers.items() if name not in FRAMING]
        return httpx.Response(answer.status_code, headers=headers, content=b"".join(pieces))


def names_no_file(server: Server, keys: dict[str, str], directory: Path) -> set[int]:
    """Returns the statuses of all answers to callers who do not administer the whole service."""
    statuses = set()
    for scope in ("read", "write", "admin"):
        for name, answer in answers(server, keys[scope]):
            shown = answer.text + str(answer.headers)
            assert str(directory) not in shown, (scope, name, shown)
            assert "writ.db" not in shown, (scope, name, shown)
            statuses.add(answer.status_code)
    return statuses


def exports(server: Server, key: str) -> None:
    answer = httpx.get(f"{server.url}{EXPORT}", headers={"Authorization": f"Bearer {key}"}, timeout=60)
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["subjects"]) == len(MODEL["subjects"])


def fill(folder: Path) -> None:
    with (folder / "filler").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4_096))


def test_a_full_disk(tmp_path):
    """The model can be exported, though the export can't be recorded. With room, everything works again."""
    with small_disk(tmp_path) as disk, served(disk / "data") as (server, keys):
        fill(disk)
        for _ in range(2):
            exports(server, keys["read"])
            assert 503 in names_no_file(server, keys, disk)
            fill(disk)
        assert UNRECORDED in server.log
        (disk / "filler").unlink()
        with server.client() as admin:
            assert admin.post("/v1/environments/default/roles", json={"id": "r"}).status_code == 201
        exports(server, keys["read"])


def test_a_start_on_a_full_disk(tmp_path):
    """The service decides, and writes once there is room. An environment whose bundle is lost gets one then."""
    other = "/environments/other"
    with small_disk(tmp_path) as disk:
        (disk / "data").mkdir(mode=0o700)
        directory, filler = tmp_path / "data", disk / "filler"  # the log of the service is on another disk
        directory.symlink_to(disk / "data")
        with served(directory) as (server, keys), server.client() as admin:
            assert admin.post("/v1/environments", json={"id": "other"}).status_code == 201
            answer = admin.put(f"/v1{other}/model", json=MODEL | {"subjects": MANY}, headers={"If-Match": "*"})
            assert answer.status_code == 200, answer.text
            (lost,) = (directory / "bundles").iterdir()
        lost.unlink()
        fill(disk)
        with running(directory) as server, server.client() as admin:
            key = {"Authorization": f"Bearer {keys['read']}"}

            def decided(place: str) -> int:
                return admin.post(f"{place}/access/v1/evaluation", json=QUESTION, headers=key).status_code

            def written(place: str) -> httpx.Response:
                return admin.post(f"/v1{place}/roles", json={"id": "r"})

            assert (decided(""), decided(other)) == (200, 500)
            assert (written(other).status_code, "make room" in written(other).text) == (503, True)
            assert READ_ONLY in server.log
            assert "no bundle of `other` can be built" in server.log
            filler.unlink()
            assert written(other).status_code == 201
            assert (decided(""), decided(other)) == (200, 200)


def test_a_limit_on_the_size_of_files(tmp_path):
    """As a quota: SQLite reports an error of the disk."""
    directory = tmp_path / "data"
    with served(directory) as (server, keys):
        for process in [server.process.pid, *children(server.process.pid)]:
            _, hard = resource.prlimit(process, resource.RLIMIT_FSIZE)
            resource.prlimit(process, resource.RLIMIT_FSIZE, (4_096, hard))
        exports(server, keys["read"])
        assert 503 in names_no_file(server, keys, directory)
        exports(server, keys["read"])
        assert UNRECORDED in server.log


def cut(file: Path) -> None:
    os.truncate(file, 2 * 4_096)


def overwrite(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.write(os.urandom(file.stat().st_size))


def lose(file: Path) -> None:
    file.rename(file.with_name("lost"))


def upgrade(file: Path) -> None:
    """A newer version of Writ opened it."""
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 99")


def replace(file: Path) -> None:
    """Another program's database took its place."""
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA application_id = 1")


@pytest.mark.parametrize("harm", [cut, overwrite, lose, upgrade, replace])
def test_a_damaged_database(tmp_path, harm: Callable[[Path], None]):
    directory = tmp_path / "data"
    with served(directory) as (server, keys):
        harm(directory / "writ.db")
        if harm in (cut, overwrite, lose):
            (directory / "writ.db-wal").unlink()
        statuses = names_no_file(server, keys, directory)
        assert {500, 503} & statuses
        assert (directory / "writ.db").exists() is (harm is not lose), "no empty store takes the place of a lost one"
