"""`writ import`, `export`, `backup` and `restore`, beside a service that runs and without one."""

import json
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from writ.api.store.actor import command_actor
from writ.api.store.audit.entries import EntryFilter
from writ.api.store.store import Store

from tests.support.command import writ
from tests.support.server import KEY, running

SINGLE = "/access/v1/evaluation"
ASKED = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}
TYPES = [{"id": "document", "actions": ["read", "update"]}]
GRANT = {
    "id": "g1",
    "subject": {"type": "user", "id": "alice"},
    "resource": {"type": "document", "id": "d1"},
    "actions": ["read"],
}
MODEL = {"model": 1, "resource_types": TYPES, "grants": [GRANT]}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with a store in it, which no service runs on."""
    data = tmp_path / "data"
    data.mkdir()
    Store.open(data).close()
    return data


def model_file(folder: Path, **members: object) -> Path:
    path = folder / "model.json"
    path.write_text(json.dumps(MODEL | members))
    return path


def test_what_was_imported_is_exported(data: Path, tmp_path: Path) -> None:
    done = writ("import", model_file(tmp_path), "--data", data)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"default: revision 1\n")
    assert json.loads(writ("export", "--data", data).stdout) == MODEL
    assert writ("export", "--data", data, "-o", tmp_path / "out.json").returncode == 0
    assert json.loads((tmp_path / "out.json").read_text()) == MODEL


def test_an_import_is_in_force_at_once(tmp_path: Path) -> None:
    """Small ones by a delta, large ones by a bundle that the command makes: when it ends, the next decision knows."""
    many = [GRANT | {"id": f"m{n}", "subject": {"type": "user", "id": f"u{n}"}} for n in range(2_500)]
    with running(tmp_path / "data", workers=2) as server, server.client() as client:
        for grants, decision in (([GRANT], True), ([], False), ([*many, GRANT], True), (many, False), ([], False)):
            done = writ("import", model_file(tmp_path, grants=grants), "--data", tmp_path / "data")
            assert done.returncode == 0, done.stderr
            for _ in range(8):
                assert client.post(SINGLE, json=ASKED, headers={"Connection": "close"}).json()["decision"] is decision


def test_a_model_with_errors_changes_nothing(data: Path, tmp_path: Path) -> None:
    writ("import", model_file(tmp_path), "--data", data)
    done = writ("import", model_file(tmp_path, grants=[GRANT | {"actions": ["fly"]}]), "--data", data)
    assert done.returncode == 1
    assert b"error[unknown-action]" in done.stderr
    assert json.loads(writ("export", "--data", data).stdout) == MODEL


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("import", "nowhere.yaml"), "nowhere.yaml"),
        (("import", "model.json", "--env", "other"), "there is no environment `other`"),
        (("export", "--env", "other"), "there is no environment `other`"),
        (("export", "-o", "none/out.json"), "none"),
        (("backup", "none/out.db"), "none: the folder does not exist"),
        (("backup", "model.json"), "exists already"),
        (("restore", "model.json"), "model.json"),
    ],
)
def test_what_can_not_be_done_is_one_sentence(
    data: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    model_file(tmp_path)
    done = writ(*arguments, "--data", data, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [("export",), ("backup", "out.db")])
def test_a_directory_without_a_store(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = writ(*arguments, "--data", tmp_path / "empty", cwd=tmp_path)
    assert done.returncode == 2
    assert b"has no store" in done.stderr


def test_an_import_makes_the_data_directory_that_serve_starts_from(tmp_path: Path) -> None:
    """With the administrator's key that `serve` would have made, handed over in the same way, once."""
    data = tmp_path / "deep" / "data"
    refused = writ("import", model_file(tmp_path, grants=[GRANT | {"actions": ["fly"]}]), "--data", data)
    assert (refused.returncode, data.exists()) == (1, False)
    done = writ("import", model_file(tmp_path), "--data", data)
    said = f"The administrator's key is in {data}/admin-key\ndefault: revision 1\n"
    assert (done.returncode, done.stderr.decode()) == (0, said)
    key = data / "admin-key"
    assert (data.stat().st_mode & 0o777, key.stat().st_mode & 0o777) == (0o700, 0o600)
    assert writ("import", model_file(tmp_path), "--data", data).stderr == b"default: revision 1\n"
    with running(data, settings={"WRIT_ADMIN_KEY": ""}) as server:
        headers = {"Authorization": f"Bearer {key.read_text().strip()}"}
        assert httpx.post(server.url + SINGLE, json=ASKED, headers=headers).json()["decision"] is True


def test_an_import_says_that_it_takes_a_preset_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable may be there for curl."""
    model, data = model_file(tmp_path), tmp_path / "data"
    monkeypatch.setenv("WRIT_ADMIN_KEY", KEY)
    done = writ("import", model, "--data", data)
    said = "The administrator's key is the one in WRIT_ADMIN_KEY\ndefault: revision 1\n"
    assert (done.returncode, done.stderr.decode()) == (0, said)
    assert writ("import", model, "--data", data).stderr == b"default: revision 1\n"


def test_an_import_makes_an_environment_where_it_is_told_to(tmp_path: Path) -> None:
    model, data = model_file(tmp_path), tmp_path / "data"
    with running(data) as server, server.client() as client:
        refused = writ("import", model, "--data", data, "--env", "staging")
        assert refused.stderr == b"Error: there is no environment `staging`; make it with `--create`\n"
        assert writ("import", model, "--data", data, "--env", "a/b", "--create").returncode == 2
        for _ in range(2):
            done = writ("import", model, "--data", data, "--env", "staging", "--create")
            assert (done.returncode, done.stderr) == (0, b"staging: revision 1\n")
        assert client.post(f"/environments/staging{SINGLE}", json=ASKED).json()["decision"] is True
        assert client.post(SINGLE, json=ASKED).json()["decision"] is False


def test_a_backup_is_restored_while_the_original_runs_on(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--import", str(model_file(tmp_path))) as server, server.client() as client:
        assert writ("backup", tmp_path / "copy.db", "--data", tmp_path / "data").returncode == 0
        writ("import", model_file(tmp_path, grants=[]), "--data", tmp_path / "data")
        restored = writ("restore", tmp_path / "copy.db", "--data", tmp_path / "other")
        assert restored.returncode == 0
        said = restored.stderr.decode()
        assert re.search(r"default: revision 1 of 20\d\d-\S+Z; the epoch is now 2\n", said)
        assert f"Next, run `writ serve --data {tmp_path / 'other'}`" in said
        with running(tmp_path / "other") as restored, restored.client() as copy:
            assert copy.post(SINGLE, json=ASKED).json()["decision"] is True
            assert copy.get("/readyz").json()["bundle"]["epoch"] == client.get("/readyz").json()["bundle"]["epoch"] + 1
        assert client.post(SINGLE, json=ASKED).json()["decision"] is False


def test_what_a_command_copies_out_of_a_store_is_in_its_audit_log(tmp_path: Path) -> None:
    """A model, a backup, a store made of one; and there is no copy where there can be no trace of it."""
    data, other = tmp_path / "data", tmp_path / "other"
    assert writ("import", model_file(tmp_path), "--data", data).returncode == 0
    assert writ("export", "--data", data).returncode == 0
    assert writ("backup", tmp_path / "copy.db", "--data", data).returncode == 0
    assert writ("restore", tmp_path / "copy.db", "--data", other).returncode == 0
    events = ["admin_key.set", "model.changed", "model.exported", "store.backed_up"]
    for directory, more in ((data, []), (other, ["store.restored"])):
        with closing(Store.open(directory)) as store:
            told, _ = store.audit.page(EntryFilter(), None, 10)
            assert [one.entry.event for one in reversed(told)] == [*events, *more], (
                "a backup is told of before it is made"
            )
            assert {one.entry.actor for one in told} == {command_actor().name}
            exported = told[-3].entry
            assert (exported.environment, exported.details) == ("default", {"revision": 1})
            assert exported.within == (store.environment("default").uuid,)
            assert told[0].entry.details == {"file": str(tmp_path / "copy.db")}
    with closing(sqlite3.connect(data / "writ.db")) as writer:
        writer.execute("BEGIN IMMEDIATE")
        refused = writ("backup", tmp_path / "untold.db", "--data", data)
    assert (refused.returncode, b"was locked by another write" in refused.stderr) == (2, True)
    assert not (tmp_path / "untold.db").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems take no such name")
def test_a_backup_whose_name_is_no_text_is_refused(data: Path, tmp_path: Path) -> None:
    """The audit log could not tell of it."""
    file = tmp_path / "\udcff.db"
    for command in ("backup", "restore"):
        refused = writ(command, file, "--data", data)
        assert (refused.returncode, refused.stderr.decode().splitlines()[1:]) == (2, [])
        assert b"\\xff.db: the name of the file is not UTF-8; rename it" in refused.stderr
        file.touch()


def test_what_a_restore_revives_is_listed_with_the_way_to_end_it(data: Path, tmp_path: Path) -> None:
    made = [json.loads(writ("clients", "create", name, "--scope", "read", "--data", data).stdout) for name in "abc"]
    deleted, revoked, renewed = (one["client_id"] for one in made)
    assert writ("backup", tmp_path / "copy.db", "--data", data).returncode == 0
    commands = {("delete", deleted, "a"): "deleted", ("revoke", revoked, "b"): "revoked"}
    commands |= {("secret", renewed, "c"): "given another secret"}
    for command, id, _ in commands:
        assert writ("clients", command, id, "--data", data).returncode == 0
    said = writ("restore", tmp_path / "copy.db", "--data", data).stderr.decode()
    assert "WARNING: these credentials were changed after the backup, and are valid again as they were then:\n" in said
    for (command, id, name), ended in commands.items():
        line = f"  client {id} `{name}` had been {ended}; to repeat it: `writ clients {command} {id} --data {data}`\n"
        assert line in said
        assert writ("clients", command, id, "--data", data).returncode == 0
    lost = writ("restore", tmp_path / "copy.db", "--data", tmp_path / "elsewhere").stderr.decode()
    assert (
        "WARNING: there was no store to compare with. Credentials that were deleted or revoked after the backup" in lost
    )
