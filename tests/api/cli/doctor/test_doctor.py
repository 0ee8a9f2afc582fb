"""`writ doctor`: what it finds in a sound and in a hostile installation, and what it never prints."""

import json
import logging
import os
import re
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from writ.api.cli.doctor import store_checks as checks_of_the_store
from writ.api.cli.start_model import prepare_model
from writ.api.settings.settings import settings_from
from writ.api.store.audit.anchor import FILE as HEAD_FILE
from writ.api.store.backups.last_backup import note_backup
from writ.api.store.database.schema import MIGRATIONS
from writ.api.store.database.sqlite.migrating import APPLICATION_ID
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.store import Store
from writ.bundles.system_errors import user_name
from writ.compiler.checks.both_sides import check_both_sides

from tests.support.certificates import Authority
from tests.support.command import writ
from tests.support.server import KEY, running
from tests.support.stored import put_as_an_earlier_writ

NEWEST = len(MIGRATIONS)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, model_file: Path) -> Path:
    """A data directory on which a service ran."""
    data = tmp_path_factory.mktemp("served") / "data"
    with running(data, "--import", str(model_file)):
        """It makes the keys, and seals its log when it stops."""
    return data


@pytest.fixture
def data(served: Path, tmp_path: Path) -> Path:
    copied = tmp_path / "data"
    shutil.copytree(served, copied)
    return copied


def findings(*arguments: str, settings: dict[str, str] | None = None) -> list[dict[str, str]]:
    """The report as JSON. The exit code tells whether something needs attention."""
    done = writ("doctor", *arguments, "--format", "json", settings=settings)
    assert b"Traceback" not in done.stderr + done.stdout, done.stderr
    found = json.loads(done.stdout)
    assert done.returncode == int(any(one["level"] != "ok" for one in found))
    assert all(bool(one["remedy"]) == (one["level"] != "ok") for one in found)
    return list(found)


def faults(*arguments: str, settings: dict[str, str] | None = None) -> list[tuple[str, str, str]]:
    found = findings(*arguments, settings=settings)
    return [(one["level"], one["check"], one["message"]) for one in found if one["level"] != "ok"]


def of(data: Path) -> list[tuple[str, str, str]]:
    return faults("--data", str(data))


def only(data: Path, level: str, check: str, said: str) -> None:
    (fault,) = of(data)
    assert fault[:2] == (level, check)
    assert re.search(said, fault[2]), fault


# -- a sound installation


def test_a_sound_directory_needs_no_attention(data: Path) -> None:
    before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    assert of(data) == []
    done = writ("doctor", "--data", data)
    assert done.stdout.decode().endswith("Nothing needs attention\n")
    assert {path: path.read_bytes() for path in before} == before


def test_while_a_service_runs(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server:
        found = findings("--data", str(tmp_path / "data"), "--url", server.url)
        assert {one["message"] for one in found} >= {
            "a service runs on it",
            "the service can decide",
            "the clocks agree",
        }
        assert [one for one in found if one["level"] != "ok"] == []
        with server.client() as client:
            assert client.get("/readyz").status_code == 200


def test_a_service_with_tls(tmp_path: Path) -> None:
    """Its certificate is accepted only by its authority, and one that ends soon needs attention."""
    authority = Authority(tmp_path, "authority")
    pair = authority.pair("server")
    with running(tmp_path / "data", *pair.options, trust=authority.trust()) as server:
        found = findings("--url", server.url, "--ca-file", str(authority.file))
        (fault,) = faults("--url", server.url)
        assert fault[:2] == ("failure", "service")
        assert "the certificate is not accepted" in fault[2]
    certificate = next(one for one in found if "certificate" in one["message"])
    days = re.search(r"ends in (\d+) days", certificate["message"])
    assert days is not None
    assert (certificate["level"] == "warning") == (int(days[1]) < 21)


def test_a_listener_that_wants_tls_or_a_client_certificate(tmp_path: Path) -> None:
    """Both end the connection without a word, so the report says what may be the reason."""
    authority, clients = Authority(tmp_path, "authority"), Authority(tmp_path, "clients")
    options = (*authority.pair("server").options, "--tls-client-ca", str(clients.file))
    with running(tmp_path / "data", *options, trust=authority.trust(clients.pair("client"))) as server:
        (secure,) = findings("--url", server.url, "--ca-file", str(authority.file))
        (plain,) = findings("--url", server.url.replace("https://", "http://"))
    assert "`--tls-client-ca`" in secure["remedy"]
    assert "a URL with https" in plain["remedy"]
    assert "`--tls-client-ca`" not in plain["remedy"]


# -- faults of a directory


def test_there_is_nothing(tmp_path: Path) -> None:
    only(tmp_path / "none", "failure", "directory", "is not a folder")
    done = writ("doctor", "--data", tmp_path / "none")
    assert done.stdout.decode().endswith("1 of 1 finding needs attention\n")
    (tmp_path / "file").touch()
    only(tmp_path / "file", "failure", "directory", "is not a folder")
    (tmp_path / "empty").mkdir(mode=0o700)
    assert {(level, check) for level, check, _ in of(tmp_path / "empty")} == {
        ("warning", "admin key"),
        ("failure", "keys"),
        ("failure", "store"),
    }


def test_other_users(data: Path) -> None:
    data.chmod(0o755)
    only(data, "warning", "directory", "other users can look into")
    data.chmod(0o777)
    only(data, "failure", "directory", "other users can write to .*, and replace the store")
    (data / FILE).chmod(0o644)
    assert ("failure", "directory", f"other users can use `{data / FILE}`") in of(data)
    if os.geteuid() == 0:
        data.chmod(0o700)
        os.chown(data, 65_534, 65_534)
        foreign = [message for _, check, message in of(data) if check == "rights"]
        assert f"`{data / FILE}` belongs to root, and the directory to {user_name(65_534)}" in foreign
        for path in data.rglob("*"):
            os.chown(path, 65_534, 65_534)
        only(data, "warning", "directory", "belongs to .*, and this is root")


def test_links_pipes_and_loops(data: Path) -> None:
    (data / "loop").symlink_to(data / "loop")
    (data / "elsewhere").symlink_to(data.parent)
    (data / "nowhere").symlink_to(data / "missing")
    assert [fault[:2] for fault in of(data)] == [("warning", "directory")] * 3
    (data / "admin-key.sha256").unlink()
    os.mkfifo(data / "admin-key.sha256")
    assert ("failure", "directory", f"`{data / 'admin-key.sha256'}` is neither a file nor a folder") in of(data)


@pytest.mark.parametrize(
    ("name", "check", "said"),
    [
        ("keys", "keys", "tokens can't be signed: there is no key"),
        ("audit-keys", "keys", "the audit log can't be signed"),
        ("audit-head", "store", "the audit log can't be trusted: .* is missing, although the log was sealed"),
        (FILE, "store", "there is no store"),
    ],
)
def test_what_is_missing(data: Path, name: str, check: str, said: str) -> None:
    path = data / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert any(found[:2] == ("failure", check) and re.search(said, found[2]) for found in of(data)), of(data)


@pytest.mark.parametrize("content", [b"", b"\0" * 40, b"not what it was \xff\n" * 300])
@pytest.mark.parametrize("name", ["admin-key.sha256", "audit-head", FILE, "keys", "audit-keys"])
def test_what_is_damaged(data: Path, name: str, content: bytes) -> None:
    path = data / name
    for file in [path] if path.is_file() else list(path.iterdir()):
        file.write_bytes(content)
    assert any(level == "failure" for level, _, _ in of(data))


def test_a_page_that_is_damaged(data: Path) -> None:
    content = bytearray((data / FILE).read_bytes())
    content[4096 * 3 : 4096 * 60] = b"\xee" * (4096 * 57)
    (data / FILE).write_bytes(content)
    assert ("failure", "store") in {found[:2] for found in of(data)}


@pytest.mark.parametrize("schema", ["CREATE TABLE t (a)", "CREATE VIEW audit AS SELECT 1 AS number", ""])
def test_another_database(data: Path, schema: str) -> None:
    """Also one that says that it is a store."""
    for pragmas in ("", f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {NEWEST};"):
        (data / FILE).unlink()
        with closing(sqlite3.connect(data / FILE)) as db:
            db.executescript(f"{schema}; {pragmas}")
        (data / FILE).chmod(0o600)
        assert ("failure", "store") in {found[:2] for found in of(data)}


def test_other_formats(data: Path) -> None:
    with closing(sqlite3.connect(data / FILE)) as db:
        db.execute("PRAGMA user_version = 99")
    only(data, "failure", "store", f"the store has format 99, and this version of Writ reads up to {NEWEST}")
    with closing(sqlite3.connect(data / FILE)) as db:
        db.execute(f"PRAGMA application_id = {0x57726974}")
    only(data, "failure", "store", r"is from before Writ 0\.1\.0; export its models with the Writ that made it")


def test_an_older_format(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newer program says what its start will do, and changes nothing."""
    monkeypatch.setattr(checks_of_the_store, "STORE_FORMAT", NEWEST + 1)
    said, *_ = checks_of_the_store.check_store(data, settings_from({}), 0.0)
    assert (said.level, said.message.rpartition("; ")[2]) == ("ok", f"the next start upgrades it from format {NEWEST}")
    with closing(sqlite3.connect(data / FILE)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (NEWEST,)


def test_a_restored_store_that_was_not_started_yet(data: Path, tmp_path: Path) -> None:
    """`writ restore` puts the head aside: that is no failure, here or in a new directory, and a start mends it."""
    backup, fresh = tmp_path / "backup.db", tmp_path / "fresh"
    key = next((data / "audit-keys").iterdir())
    assert writ("backup", backup, "--data", data).returncode == 0
    for directory in (data, fresh):
        assert writ("restore", backup, "--data", directory).returncode == 0
        found = findings("--data", str(directory))
        assert [one for one in found if "audit log can't be trusted" in one["message"]] == []
        assert any("the store was restored" in one["message"] for one in found)
        assert writ("audit", "verify", "--data", directory, "--key", key).returncode == 0
    with running(data):
        found = findings("--data", str(data))
    assert any("goes on from its last seal" in one["message"] for one in found)


def test_a_copied_store_is_not_taken_for_a_restored_one(data: Path, tmp_path: Path) -> None:
    """A head that somebody removed stays a failure, also if the store was restored before its last seal."""
    backup = tmp_path / "backup.db"
    assert writ("backup", backup, "--data", data).returncode == 0
    assert writ("restore", backup, "--data", data).returncode == 0
    with running(data):
        """It seals the restored log."""
    (data / "audit-head").unlink()
    assert [(level, name) for level, name, said in of(data) if "can't be trusted" in said] == [("failure", "store")]


def test_an_older_store_put_back_under_a_newer_seal(data: Path, served: Path) -> None:
    with closing(sqlite3.connect(data / FILE)) as db:
        (last,) = db.execute("SELECT max(number) FROM audit").fetchone()
        db.executescript("DROP TRIGGER audit_kept; DELETE FROM audit WHERE number > 1;")
    only(data, "failure", "store", f"the log ends at entry 1, but entry {last} was sealed")


def test_a_clock_that_was_set_back(data: Path) -> None:
    with closing(sqlite3.connect(data / FILE)) as db:
        db.executescript("DROP TRIGGER audit_unchanged;")
        db.execute(
            "UPDATE audit SET body = json_set(body, '$.time', '2999-01-01T00:00:00Z')"
            " WHERE number = (SELECT max(number) FROM audit)"
        )
        db.commit()
    assert any("s behind the newest entry of the audit log" in said for _, _, said in of(data))


def test_the_age_of_the_last_backup(data: Path, tmp_path: Path) -> None:
    """A new store needs none, and an old one is told. With 0 hours, another program makes the backups."""
    with closing(sqlite3.connect(data / FILE)) as db:
        db.execute("UPDATE environments SET created = '2020-01-01T00:00:00Z'")
        db.commit()
    only(data, "warning", "store", "^no backup of the store is known$")
    assert faults("--data", str(data), settings={"WRIT_BACKUP_HOURS": "0"}) == []
    note_backup(data, tmp_path / "old.db", time.time() - 27 * 3_600)
    only(data, "warning", "store", "^the last backup is 27 hours old: `.*/old.db`$")
    assert faults("--data", str(data), settings={"WRIT_BACKUP_HOURS": "30"}) == []
    assert writ("backup", tmp_path / "new.db", "--data", data).returncode == 0
    assert of(data) == []


def test_entries_that_were_not_sealed_for_hours(data: Path) -> None:
    with closing(sqlite3.connect(data / FILE)) as db:
        anchor = json.loads((data / HEAD_FILE).read_bytes())
        db.executescript("DROP TRIGGER audit_unchanged;")
        body = json.dumps({"time": "2020-01-01T00:00:00Z", "event": "service.started"})
        query = "INSERT INTO audit (number, body, digest) VALUES (?, ?, x'00')"
        db.execute(query, (anchor["number"] + 1, body))
        db.commit()
    only(data, "warning", "store", "^unsealed entries of the audit log: 1, the oldest [0-9,]+ hours old$")


def test_a_key_that_was_left_in_its_file(data: Path) -> None:
    (data / "admin-key").write_text(KEY)
    (data / "admin-key").chmod(0o600)
    only(data, "warning", "admin key", "has the key itself")
    assert " findings needs attention\n" in writ("doctor", "--data", data).stdout.decode()


# -- faults of a service


class Pretender(BaseHTTPRequestHandler):
    """Answers as a bad service does."""

    status, body, date = 200, b"{}", "Thu, 01 Jan 1970 00:00:00 GMT"

    def do_GET(self) -> None:
        self.send_response_only(self.status)
        self.send_header("Date", self.date)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def pretending(kind: type[Pretender] = Pretender, **attributes: object) -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), type("Other", (kind,), attributes))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class StaleAgent(Pretender):
    """Decides by what it has, while its source is away."""

    def do_GET(self) -> None:
        stale = b'{"status": "failing", "state": "behind", "revision": 7, "error": "it did not answer in time"}'
        self.status, self.body = (503, stale) if self.path == "/readyz" else (200, b"{}")
        super().do_GET()


def test_an_agent_that_is_stale_decides() -> None:
    """`/readyz` is 503 then, and the agent goes on."""
    with pretending(StaleAgent) as url:
        (found,) = [one for one in findings("--url", url) if "decide" in one["message"]]
    said = "the agent decides, but its source has not confirmed its revision in time: it did not answer in time"
    assert (found["level"], found["message"]) == ("warning", said)


def test_a_service_with_another_clock_and_version() -> None:
    with pretending(body=b'{"version": "0.0.9\\u202e", "status": "ok"}') as url:
        said = [message for _, _, message in faults("--url", url)]
    assert any("the clocks differ by" in one for one in said)
    assert any(one.startswith("the service is Writ `0.0.9") for one in said)


@pytest.mark.parametrize("body", [b"", b"[" * 60_000, b"\xff", b'{"version": 7}', b"x" * 200_000])
def test_a_server_that_is_no_service(body: bytes) -> None:
    with pretending(body=body, date="yesterday") as url:
        said = [message for _, _, message in faults("--url", url)]
    assert said == ["the service does not tell its version", "the service does not tell the time"]


def test_a_service_that_is_not_there(tmp_path: Path) -> None:
    (fault,) = faults("--url", "http://127.0.0.1:1")
    assert fault == ("failure", "service", "`http://127.0.0.1:1` can't be reached: connection refused")
    with pretending(status=302) as url:
        assert faults("--url", url) == [("failure", "service", f"`{url}/healthz` answers 302")]
    for url in ("ftp://h", "h:80", "http://", "http://user:secret@h", "https://h?token=secret", "http://h:99999"):
        done = writ("doctor", "--url", url)
        assert (done.returncode, b"secret" in done.stdout + done.stderr) == (2, False)


# -- secrets


def test_no_secret_is_printed(data: Path) -> None:
    """Not those of files and of settings, whether they can be used or not."""
    (data / "admin-key").write_text(KEY)
    pems = [path.read_text() for folder in ("keys", "audit-keys") for path in (data / folder).iterdir()]
    secrets = [KEY, (data / "admin-key.sha256").read_text().strip(), (data / "page-tokens.key").read_bytes().hex()]
    secrets += [line for pem in pems for line in pem.splitlines() if "-----" not in line]
    settings: dict[str, str] = {"WRIT_ADMIN_KEY": "short-but-secret", "WRIT_TOKEN": "a-token-that-is-secret"}
    settings["WRIT_SIGNING_KEY"] = settings["WRIT_AUDIT_KEY"] = settings["WRIT_BUNDLE_KEY"] = (
        "MC4CAQAwBQYDK2VwBCIEIsecret"
    )
    for given in ({}, settings, {"WRIT_SIGNING_KEY": pems[0]}, {"WRIT_PUBLIC_URL": "https://user:sesame-secret@h"}):
        for form in ("text", "json"):
            done = writ("doctor", "--data", data, "--url", "http://127.0.0.1:1", "--format", form, settings=given)
            said = (done.stdout + done.stderr).decode()
            assert done.returncode == 1
            assert "Traceback" not in said
            leaked = [one for one in (*secrets, *settings.values(), "sesame-secret") if one in said]
            assert leaked == []


def test_a_damaged_log(data: Path) -> None:
    """The report says so before it opens the store: SQLite would drop what the log still has."""
    with closing(sqlite3.connect(data / FILE)) as db:
        for number in range(3):
            db.execute("UPDATE environments SET description = ?", (str(number),))
            db.commit()
        log = (data / f"{FILE}-wal").read_bytes()
    damaged = bytearray(log)
    damaged[100:108] = b"\xee" * 8
    (data / f"{FILE}-wal").write_bytes(damaged)
    only(data, "failure", "store", "was damaged, and 3 changes after the damage are lost")
    assert (data / f"{FILE}-wal").read_bytes() == damaged


def test_it_lists_the_errors_of_models_that_an_earlier_writ_has_stored(
    data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = Store.open(data)
    kinds = {"conditions": {"resource_attrs": [{"key": "amount", "op": "eq", "value_of": "subject.limit"}]}}
    scope = {"resource_type_id": "payment", "actions": ["read"]}
    declared = [{"id": "payment", "actions": ["read"], "attributes": {"amount": "number"}}]
    model = {
        "extensions": ["references"],
        "resource_types": declared,
        "policies": [{"id": "over", "effect": "DENY", "resource_types": [scope], **kinds}],
        "attributes": {"subject": {"user": {"limit": "string"}}},
    }
    put_as_an_earlier_writ(store, model, check_both_sides)
    prepare_model(data, store, (), False, logging.getLogger())
    store.close()
    said = "the policy `over`: `amount` of the resource type `payment` is declared as number"
    assert f"the model of `default` has an error, with which the service goes on: {said}" in caplog.text
    only(data, "warning", "store", f"the model of `default` has an error: {said}")
