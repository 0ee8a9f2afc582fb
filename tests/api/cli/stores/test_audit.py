"""`writ audit` and `writ audit verify`, on a store that a real service wrote, was killed on, and was stopped on."""

import json
import re
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from writ.api.identity.keys.signing_keys import new_key

from tests.support.command import writ
from tests.support.server import running
from tests.support.waiting import wait_until

_HEAD = re.compile(r"the head of the audit log is (\d+:[0-9a-f]{64})")


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A data directory on which a service ran that was stopped, and what it logged."""
    folder = tmp_path_factory.mktemp("audit") / "data"
    with running(folder, workers=2) as server:
        with server.client() as admin:
            admin.post("/v1/clients", json={"name": "c", "scopes": ["read"]})
            for _ in range(7):
                admin.get("/v1/clients", headers={"Authorization": "Bearer wrong", "Connection": "close"})
        assert server.stop() == 0
        return folder, server.log


def audit(folder: Path, *arguments: str | Path) -> tuple[int, str, str]:
    done = writ("audit", *arguments, "--data", folder)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def entries(folder: Path, *arguments: str) -> list[dict[str, object]]:
    code, out, err = audit(folder, "--format", "json", *arguments)
    more = "There are older entries. To see them, use a larger --limit.\n" if "--limit" in arguments else ""
    assert (code, err) == (0, more if out else "There is no such entry.\n")
    return [json.loads(line) for line in out.splitlines()]


def test_a_service_tells_of_its_start_and_its_end_and_seals_it(stopped: tuple[Path, str]) -> None:
    folder, log = stopped
    found = entries(folder)
    assert [one["event"] for one in found if one["event"] != "credential.refused"] == [
        "service.stopped",
        "client.created",
        "admin_key.set",
        "service.started",
    ]
    refused = [one for one in found if one["event"] == "credential.refused"]
    assert sum(one["details"]["count"] for one in refused) == 7, "both workers' counts, of one minute or two"
    assert len(refused) <= 2
    code, out, _ = audit(folder, "verify")
    head = _HEAD.findall(log)[-1]
    assert code == 0
    assert f"Its head is {head}" in out
    assert "Not sealed" not in out
    assert audit(folder, "verify", "--head", head)[0] == 0
    assert (folder / "audit-keys").stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in (folder / "audit-keys").iterdir()} == {0o600}


def test_it_is_shown_as_text_and_filtered(stopped: tuple[Path, str]) -> None:
    folder, _ = stopped
    code, out, _ = audit(folder, "--event", "client.created")
    (line,) = out.splitlines()
    assert code == 0
    assert re.fullmatch(r"20\S+Z client\.created +admin-key client_id=\S+ address=127\.0\.0\.1 \{.*\}", line)
    assert len(entries(folder, "--limit", "2")) == 2
    assert entries(folder, "--until", "2020-01-01T00:00:00Z") == []
    for wrong in (("--since", "yesterday"), ("--event", "x"), ("--limit", "0")):
        code, _, err = audit(folder, *wrong)
        assert code == 2
        assert "Traceback" not in err


def test_what_was_changed_is_told_of(stopped: tuple[Path, str], tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(stopped[0], folder)
    with closing(sqlite3.connect(folder / "writ.db")) as db:
        (trigger,) = db.execute("SELECT sql FROM sqlite_schema WHERE name = 'audit_kept'").fetchone()
        db.executescript(f"DROP TRIGGER audit_kept; DELETE FROM audit WHERE number = 2; {trigger}")
    code, _, err = audit(folder, "verify")
    assert (code, err) == (1, "the audit log is not intact: entry 2 is missing\n")


def test_a_head_is_compared_with_what_was_noted(stopped: tuple[Path, str]) -> None:
    folder, log = stopped
    number, _, digest = _HEAD.findall(log)[-1].partition(":")
    code, _, err = audit(folder, "verify", "--head", f"{number}:{'0' * 64}")
    assert (code, err) == (1, f"the audit log is not intact: entry {number} is not the one that was noted\n")
    for wrong in (f"0:{digest}", f"-1:{digest}", f"{number}:00", digest):
        assert audit(folder, "verify", f"--head={wrong}")[0] == 2
    code, _, err = audit(folder, "verify", "--head", f"{number}:{digest}", "--head", f"{number}:{'0' * 64}")
    assert code == 2
    assert "two different heads have the same number" in err


def test_what_others_wrote_does_not_steer_a_terminal(stopped: tuple[Path, str], tmp_path: Path) -> None:
    folder = tmp_path / "data"
    shutil.copytree(stopped[0], folder)
    name = "a\x1b[2K\x9b1m\u202eb\nc"
    assert writ("clients", "create", name, "--scope", "read", "--data", folder).returncode == 0
    line = audit(folder, "--limit", "1")[1]
    assert line.isprintable() or line.rstrip("\n").isprintable()
    clients = writ("clients", "--data", folder).stdout.decode()
    assert name in {json.loads(client)["name"] for client in clients.splitlines()}
    for text in (clients, audit(folder, "--limit", "1", "--format", "json")[1]):
        assert text.replace("\n", "").isprintable()
    with closing(sqlite3.connect(folder / "writ.db")) as db:
        db.execute("UPDATE audit_seals SET key = char(27) || '[2K the audit log is intact'")
        db.commit()
    code, _, err = audit(folder, "verify")
    assert code == 1
    assert "\x1b" not in err


def test_seals_need_their_key(stopped: tuple[Path, str], tmp_path: Path) -> None:
    folder, public = tmp_path / "data", tmp_path / "public.pem"
    shutil.copytree(stopped[0], folder)
    shutil.rmtree(folder / "audit-keys")
    code, _, err = audit(folder, "verify")
    assert code == 2
    assert "there is no key in" in err
    assert "with --key" in err
    (folder / "audit-keys").mkdir(mode=0o700)
    key, pem = new_key("EdDSA")
    (folder / "audit-keys" / f"000000000001-{key.id}.pem").write_bytes(pem)
    code, _, err = audit(folder, "verify")
    assert code == 1
    assert err.startswith("the audit log can't be verified: the seal of entry ")
    assert "which is not known here; give its public key" in err
    public.write_bytes(new_key("EdDSA")[0].public_pem())
    code, _, err = audit(folder, "verify", "--key", public)
    assert (code, err.count("\n")) == (1, 1), "what lies in the data directory proves nothing then"
    public.write_bytes(b"no key")
    code, _, err = audit(folder, "verify", "--key", public)
    assert (code, err.splitlines()[-1]) == (2, f"Error: `{public}` is no PEM of a key without a passphrase")


def test_a_service_that_was_killed_is_sealed_by_the_next(tmp_path: Path) -> None:
    private = tmp_path / "audit.pem"
    key, pem = new_key("ES256")
    private.write_bytes(pem)
    settings = {"WRIT_AUDIT_KEY": str(private)}
    with running(tmp_path / "data", settings=settings) as server:
        assert wait_until(lambda: _HEAD.search(server.log)), "the first look seals what is there"
        server.stop(signal.SIGKILL)
    wait_until(lambda: _is_free(server.url))
    public = tmp_path / "public.pem"
    public.write_bytes(key.public_pem())
    code, out, _ = audit(tmp_path / "data", "verify", "--key", public)
    assert code == 0
    assert f"by the key {key.id}" in out
    with running(tmp_path / "data", settings=settings) as server:
        server.stop(signal.SIGINT)
    code, out, _ = audit(tmp_path / "data", "verify", "--key", public)
    assert code == 0
    assert "Not sealed" not in out
    assert not (tmp_path / "data" / "audit-keys").exists()


def _is_free(url: str) -> bool:
    try:
        httpx.get(f"{url}/healthz", timeout=1)
    except httpx.TransportError:
        return True
    return False
