"""The recipe with Litestream: a store is replicated while it is written, everything is killed, and a copy serves."""

import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.support.command import WRIT
from tests.support.server import ROOT, Server, environment, running
from tests.support.waiting import wait_until

FILE: Final = ROOT / "api/deployment/litestream.yml"
LITESTREAM: Final = shutil.which("litestream")
KEPT: Final = ("keys", "bundle-keys", "audit-keys", "admin-key.sha256", "page-tokens.key")
"""What the page says to copy beside the store, if it is there."""

LOST_SECONDS: Final = 5.0
"""The file says that Litestream looks each second. A machine that tests share is slower."""

pytestmark = [
    pytest.mark.deployment,
    pytest.mark.skipif(LITESTREAM is None, reason="litestream is not installed"),
]


def configured(folder: Path) -> Path:
    """The file of the page, with the folders of this test."""
    text = FILE.read_text()
    for place, path in (("/var/lib/writ/writ.db", folder / "data/writ.db"), ("/backups/writ", folder / "replica")):
        assert text.count(place) == 1
        text = text.replace(place, str(path))
    file = folder / "litestream.yml"
    file.write_text(text)
    return file


@contextmanager
def replicating(folder: Path, with_signal: int) -> Iterator[subprocess.Popen[bytes]]:
    """Litestream as the file tells to start it. It ends by a signal."""
    with (folder / "litestream.log").open("ab") as log:
        line = [str(LITESTREAM), "replicate", "-config", str(folder / "litestream.yml")]
        process = subprocess.Popen(line, stdout=log, stderr=log, env=environment())
    try:
        yield process
        assert process.poll() is None, (folder / "litestream.log").read_text()
    finally:
        process.send_signal(with_signal)
        try:
            process.wait(60)
        finally:
            process.kill()


class Writes:
    """The roles that the service has confirmed, in order, with the instant of each answer."""

    def __init__(self, client: httpx.Client) -> None:
        self._client, self._numbers = client, count()
        self.confirmed: list[tuple[str, float]] = []

    def go_on(self, seconds: float) -> None:
        """Write one role after the other."""
        until = time.time() + seconds
        while time.time() < until:
            name = f"role-{next(self._numbers)}"
            answer = self._client.post("/v1/environments/default/roles", json={"id": name})
            assert answer.status_code == 201, answer.text
            self.confirmed.append((name, time.time()))


def restored(folder: Path, data: Path, *options: str) -> None:
    """Restores as the page says: Litestream makes a file, and `writ takeover` makes the data directory of it."""
    copy = folder / f"{data.name}.db"
    line = [str(LITESTREAM), "restore", "-config", str(folder / "litestream.yml"), "-o", str(copy), *options]
    for words in ([*line, str(folder / "data/writ.db")], [str(WRIT), "takeover", str(copy), "--data", str(data)]):
        done = subprocess.run(words, env=environment(), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def roles(client: httpx.Client) -> set[str]:
    model = client.get("/v1/environments/default/model").raise_for_status().json()
    return {role["id"] for role in model["roles"]}


def is_replicated(folder: Path) -> bool:
    return any((folder / "replica").rglob("*.ltx"))


@pytest.mark.timeout(600)
def test_a_killed_service_is_restored_but_for_the_last_moment(tmp_path: Path) -> None:
    configured(tmp_path)
    with running(tmp_path / "data") as server, server.client() as client:
        key = client.post("/v1/api-keys", json={"name": "kept", "scopes": ["read"]}).raise_for_status().json()["key"]
        epoch = client.get("/readyz").json()["bundle"]["epoch"]
        writes = Writes(client)
        with replicating(tmp_path, signal.SIGTERM):
            assert wait_until(lambda: is_replicated(tmp_path)) is True
            writes.go_on(3)
        writes.go_on(1)  # while Litestream is being updated, say
        middle = time.time()
        with replicating(tmp_path, signal.SIGKILL):
            writes.go_on(1 + LOST_SECONDS)
        server.process.kill()
    killed = writes.confirmed[-1][1]

    keep(tmp_path / "data", tmp_path / "again")
    restored(tmp_path, tmp_path / "again")
    with running(tmp_path / "again") as server, server.client() as client:
        found = roles(client)
        names = [name for name, _ in writes.confirmed]
        assert found == set(names[: len(found)]), "there are no gaps"
        assert {name for name, at in writes.confirmed if at < killed - LOST_SECONDS} <= found
        assert client.get("/readyz").json()["bundle"]["epoch"] > epoch, "clients can tell the revisions apart"
        assert reads(server, key), "credentials are in the store"
        assert writable(client)
    assert run_writ("audit", "verify", "--data", str(tmp_path / "again")).returncode == 0

    instant = datetime.fromtimestamp(middle, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    restored(tmp_path, tmp_path / "earlier", "-timestamp", instant)
    with running(tmp_path / "earlier") as server, server.client() as client:
        found = roles(client)
        assert found == set(names[: len(found)])
        assert 0 < len(found) < len(names)
        assert found <= {name for name, at in writes.confirmed if at < middle}


def keep(old: Path, new: Path) -> None:
    """Copies what the store does not have."""
    new.mkdir(mode=0o700)
    for name in KEPT:
        if (old / name).is_dir():
            shutil.copytree(old / name, new / name, dirs_exist_ok=True)
        elif (old / name).exists():
            shutil.copy2(old / name, new / name)


def reads(server: Server, key: str) -> bool:
    answer = httpx.get(f"{server.url}/v1/environments", headers={"Authorization": f"Bearer {key}"})
    return answer.status_code == 200


def writable(client: httpx.Client) -> bool:
    return client.post("/v1/environments/default/roles", json={"id": "after"}).status_code == 201


def run_writ(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([str(WRIT), *arguments], env=environment(), capture_output=True)
