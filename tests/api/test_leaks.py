"""Secrets never leak: the whole service works under load and in trouble, and then all that it wrote is searched."""

import json
import re
import sqlite3
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import islice, product
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from tests.support.command import writ
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, running

ROUNDS = 1
SOON = "from writ.api.engines.live import store_work; store_work.LONG_WAIT_FACTOR = 0.2"
"""The service waits a second to record what it gave out, instead of half a minute."""

THREADS = 4
ASKED = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}
_PRIVATE = re.compile(rb"-----BEGIN PRIVATE KEY-----\s+(\S+)")


class Secrets:
    """Every secret of a store that is served, gathered as it is handed out."""

    def __init__(self, server: Server) -> None:
        self.server = server
        with server.client() as admin:
            self.client = admin.post("/v1/clients", json={"name": "c", "scopes": ["admin"]}).json()
            self.key = admin.post("/v1/api-keys", json={"name": "k", "scopes": ["write"]}).json()["key"]
            old = self.client["client_secret"]
            self.client = admin.post(f"/v1/clients/{self.client['client_id']}/secret").json()
        self.token = self.new_token()
        self.all = {KEY, self.key, old, self.client["client_secret"], self.token}

    def form(self, secret: str) -> dict[str, str]:
        return {
            "grant_type": "client_credentials",
            "client_id": self.client["client_id"],
            "client_secret": secret,
        }

    def new_token(self) -> str:
        answer = httpx.post(f"{self.server.url}/v1/oauth/token", data=self.form(self.client["client_secret"]))
        return str(answer.json()["access_token"])

    def forms_of(self, secret: str) -> list[bytes]:
        """A secret as it may be written: as it is, its random part, escaped, as HTTP Basic has it, in UTF-16."""
        basic = b64encode(f"{self.client['client_id']}:{secret}".encode())
        return [secret.encode(), secret[-24:].encode(), quote(secret).encode(), basic, secret.encode("utf-16-le")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


def calls(secrets: Secrets, secret: str) -> Iterator[httpx.Request]:
    """A secret in each place where a client may put it, right or wrong."""
    url, wrong = secrets.server.url, secret + "x"
    for one, scheme in product((secret, wrong), ("Bearer", "Basic")):
        headers = {"Authorization": f"{scheme} {one}"}
        yield httpx.Request("POST", f"{url}/access/v1/evaluation", headers=headers, json=ASKED)
        yield httpx.Request("POST", f"{url}/access/v1/evaluation", headers=headers, content=b"{" + one.encode())
        yield httpx.Request("GET", f"{url}/v1/environments/default/model", headers=headers)
        yield httpx.Request("GET", f"{url}/v1/clients/{one}", headers=headers)
        yield httpx.Request("GET", f"{url}/v1/audit?cursor={one}", headers=headers)
        yield httpx.Request("DELETE", f"{url}/v1/api-keys/{one}", headers=headers)
        yield httpx.Request("POST", f"{url}/v1/environments/default/grants", headers=headers, json={"subject": one})
    for form in (secrets.form(secret), secrets.form(wrong), {"grant_type": secret}, {"client_id": secret}):
        yield httpx.Request("POST", f"{url}/v1/oauth/token", data=form)
        yield httpx.Request("POST", f"{url}/v1/oauth/revoke", data=form | {"token": wrong})
    swapped = secrets.form("x") | {"client_id": secret}
    yield httpx.Request("POST", f"{url}/v1/oauth/token", data=swapped)
    yield httpx.Request("POST", f"{url}/v1/oauth/token?client_secret={secret}", content=secret.encode())


def load(secrets: Secrets) -> None:
    """All calls, again and again, from many threads; and broken requests."""

    def ask(secret: str) -> None:
        with httpx.Client(timeout=60) as client:
            for call in calls(secrets, secret):
                client.send(call)

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(ask, [secret for _ in range(ROUNDS) for secret in sorted(secrets.all)]))
    for secret in secrets.all:
        for broken in (
            request("GET", f"/{secret}", key=secret)[:-2] + b"x" * 100_000,
            request("POST", f"/access/v1/evaluation?{secret}", b"{}", {"Content-Length": "-1"}, key=secret),
            b"GET / HTTP/1.1\r\nAuthorization Bearer " + secret.encode() + b"\r\n\r\n",
            f"POST /{secret} HTTP/9.9\r\nAuthorization: Bearer {secret}\r\n\r\n".encode(),
        ):
            with RawConnection(secrets.server.host, secrets.server.port) as connection, suppress(OSError, EOFError):
                connection.send(broken)
                connection.answer()


def in_trouble(secrets: Secrets, folder: Path) -> None:
    """The same while keys are damaged, and while the store can't be read."""
    keys = sorted((folder / "keys").iterdir())
    texts = [file.read_bytes() for file in keys]
    for file in keys:
        file.write_bytes(b"damaged")
    httpx.post(f"{secrets.server.url}/v1/oauth/token", data=secrets.form(secrets.client["client_secret"]))
    for file, text in zip(keys, texts, strict=True):
        file.write_bytes(text)
    with closing(sqlite3.connect(folder / "writ.db", isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        with httpx.Client(timeout=60) as client:
            for call in islice(calls(secrets, secrets.token), 2):
                client.send(call)
            client.post(f"{secrets.server.url}/v1/oauth/token", data=secrets.form(secrets.client["client_secret"]))
        db.execute("ROLLBACK")


def test_what_the_service_wrote_has_no_secret(folder: Path, tmp_path: Path) -> None:
    said: list[bytes] = []

    def command(*arguments: str | Path) -> bytes:
        done = writ(*arguments, "--data", folder)
        assert done.returncode == 0, done.stderr
        said.append(done.stderr)
        return done.stdout

    settings = {"WRIT_MAX_FAILED_ATTEMPTS": "50", "WRIT_HEAD_SECONDS": "0.5", "WRIT_BODY_SECONDS": "2"}
    (tmp_path / "soon").mkdir()
    (tmp_path / "soon" / "sitecustomize.py").write_text(SOON)
    with running(folder, "--log-level", "debug", workers=2, settings=settings, path=(tmp_path / "soon",)) as server:
        secrets = Secrets(server)
        load(secrets)
        secrets.all.add(json.loads(command("clients", "create", "by hand", "--scope", "read"))["client_secret"])
        command("keys", "rotate")
        in_trouble(secrets, folder)
        secrets.all.add(secrets.new_token())
        command("backup", tmp_path / "backup.db")
        said += [command("export"), command("clients"), command("keys"), command("audit", "--limit", "100000")]
        with server.client() as admin:
            said += [admin.get(path).content for path in ("/v1/audit?limit=1000", "/v1/clients", "/v1/api-keys")]
    command("audit", "verify")
    log = server.log.encode()
    assert b"[ERROR]" in log, "the trouble was real"
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {"writ.db", "backup.db"} <= {path.name for path in files}
    keys = {path for path in files if path.parent.name in ("keys", "audit-keys")}
    private = {found[1] for path in keys for found in _PRIVATE.finditer(files[path])}
    assert private
    written = [log, *said, *(content for path, content in files.items() if path not in keys)]
    sought = [*private, *(form for secret in secrets.all for form in secrets.forms_of(secret))]
    assert [form for form in sought for content in written if form in content] == []
    assert [content for content in written if b"Bearer " in content] == []
