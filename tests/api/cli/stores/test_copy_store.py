"""`writ copy-store`: what it says, what it refuses, and a service on the copy."""

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from writ.api.engines.live.data_directory import hold
from writ.api.identity.keys.folder import AUDIT_FOLDER, BUNDLE_FOLDER, FOLDER
from writ.api.store.audit.anchor import FILE as ANCHOR
from writ.api.store.database.sqlite.opening import FILE
from writ.api.store.store import Store

from tests.support.command import writ
from tests.support.server import running
from tests.support.stored import ENV, put, stored

MODEL = {
    "resource_types": [{"id": "document", "actions": ["read"]}],
    "roles": [{"id": "reader"}],
    "assignments": [{"id": "a", "role": "reader", "subject": {"type": "user", "id": "al\0ice"}}],
    "policies": [
        {
            "id": "p",
            "effect": "ALLOW",
            "roles": ["reader"],
            "resource_types": [{"resource_type_id": "document", "actions": ["read"]}],
        }
    ],
}
QUESTION = {
    "subject": {"type": "user", "id": "al\0ice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d"},
}
NO_PATIENCE = {"writ.api.engines.live.data_directory.LOCK_SECONDS": 0.1}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with a store."""
    with closing(Store.open(tmp_path / "data")) as store:
        put(store, MODEL)
    return tmp_path / "data"


@pytest.fixture
def database(postgresql: str) -> Iterator[str]:
    """The URL of an empty database, with a password."""
    host = quote(conninfo_to_dict(postgresql)["host"], safe="")
    with psycopg.connect(postgresql, autocommit=True) as control:
        control.execute("CREATE DATABASE copied")
        yield f"postgresql://writ:secret@/copied?host={host}"
        control.execute("DROP DATABASE copied WITH (FORCE)")


def refused(*words: str | Path) -> str:
    done = writ("copy-store", *words, constants=NO_PATIENCE)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Traceback" not in done.stderr
    return done.stderr.decode()


def test_it_tells_what_it_copied_and_what_to_do(data: Path, tmp_path: Path) -> None:
    done = writ("copy-store", data, tmp_path / "copy")
    said = done.stderr.decode()
    assert (done.returncode, done.stdout) == (0, b"")
    assert f"{data} is copied to {tmp_path / 'copy'}:\n  default: revision 1, epoch 1\n" in said
    assert "roles 1, assignments 1, policies 1, revisions 1, audit entries 2" in said
    assert f"Never let a service write to {data} again" in said
    assert f"`writ serve --data {tmp_path / 'copy'}`" in said
    done = writ("copy-store", data, tmp_path / "json", "--format", "json")
    found = json.loads(done.stdout)
    (one,) = found["environments"]
    assert (found["from"], found["to"]) == (str(data), str(tmp_path / "json"))
    assert (one["id"], one["epoch"], one["revision"]) == (ENV, 1, 1)
    assert (found["rows"]["roles"], found["rows"]["audit"], found["rows"]["clients"]) == (1, 3, 0)
    for directory in (tmp_path / "copy", tmp_path / "json"):
        with closing(Store.open(directory)) as store:
            assert stored(store) == MODEL
        assert (directory / FILE).stat().st_mode & 0o777 == 0o600


def test_what_it_refuses_stays_as_it_was(data: Path, tmp_path: Path) -> None:
    assert "has no store; name the data directory of one" in refused(tmp_path / "none", tmp_path / "copy")
    assert "has a store already; name a new directory" in refused(data, data)
    with hold(data):
        assert "is served by another process" in refused(data, tmp_path / "copy")
    (tmp_path / "new").mkdir()
    with hold(tmp_path / "new"):
        assert "is served by another process" in refused(data, tmp_path / "new")
    (tmp_path / "file").touch()
    assert "it is a file, not a folder" in refused(data, tmp_path / "file")
    said = refused(data, "postgresql://writ:secret@127.0.0.1:1/writ")
    assert "the store `postgresql://writ@127.0.0.1:1/writ` can't be reached" in said
    assert "secret" not in said
    assert not (tmp_path / "none").exists()
    assert not (tmp_path / "copy").exists()
    assert not (tmp_path / "new" / FILE).exists()
    with closing(Store.open(data)) as store, store._connections.reading() as db:
        assert db.execute("SELECT count(*) FROM audit").fetchone() == (1,), "it tells of no copy"


@pytest.mark.postgresql
def test_a_database_is_named_without_its_password(data: Path, database: str, tmp_path: Path) -> None:
    there = writ("copy-store", data, database)
    back = writ("copy-store", database, tmp_path / "back")
    again = writ("copy-store", data, database, "--format", "json")
    assert [one.returncode for one in (there, back, again)] == [0, 0, 2]
    assert f"`writ serve --data {data} --store postgresql://writ@" in there.stderr.decode()
    assert "copy `keys/`, `bundle-keys/`, `audit-keys/`, `audit-head`" in back.stderr.decode()
    assert "has a store already; name an empty database" in again.stderr.decode()
    with closing(Store.open(tmp_path / "back")) as store:
        assert stored(store) == MODEL
        assert b"secret" not in b"".join(repr(one).encode() for one in entries(store))
    assert b"secret" not in b"".join(one.stdout + one.stderr for one in (there, back, again))


def copied(source: str | Path, target: str | Path) -> None:
    done = writ("copy-store", source, target)
    assert done.returncode == 0, done.stderr.decode()


def entries(store: Store) -> list[object]:
    with store._connections.reading() as db:
        return list(db.execute("SELECT body FROM audit").fetchall())


@pytest.mark.postgresql
@pytest.mark.service
def test_a_service_on_a_copy_decides_alike_and_its_log_is_whole(data: Path, database: str, tmp_path: Path) -> None:
    """The store goes to PostgreSQL and back, and the keys go with it."""
    with running(data) as server, server.client() as client:
        assert "is served by another process" in refused(data, database)
        assert client.post("/access/v1/evaluation", json=QUESTION).json()["decision"] is True
    copied(data, database)
    with running(data, "--store", database) as server, server.client() as client:
        assert client.post("/access/v1/evaluation", json=QUESTION).json()["decision"] is True
    copy = tmp_path / "copy"
    copied(database, copy)
    for folder in (FOLDER, BUNDLE_FOLDER, AUDIT_FOLDER):
        if (data / folder).exists():
            shutil.copytree(data / folder, copy / folder)
    for file in ("admin-key.sha256", ANCHOR):
        shutil.copy(data / file, copy / file)
    verified = writ("audit", "verify", "--data", copy)
    assert verified.returncode == 0, verified.stderr.decode()
    with running(copy) as server, server.client() as client:
        assert client.post("/access/v1/evaluation", json=QUESTION).json()["decision"] is True
        doctor = writ("doctor", "--data", copy, settings={"WRIT_ADMIN_KEY": server.key})
        assert "the audit log goes on from its last seal" in doctor.stdout.decode()
        assert b"FAILURE" not in doctor.stdout
    assert writ("audit", "verify", "--data", copy).returncode == 0
