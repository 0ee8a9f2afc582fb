"""`writ import`, `export`, `backup` and `restore`, beside a service that runs and without one."""

import json
from pathlib import Path

import pytest

from tests.support.command import writ
from tests.support.server import running

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
    with running(tmp_path / "data"):
        pass
    return tmp_path / "data"


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
        (("import", "model.json", "--env", "other"), "there is no such environment"),
        (("export", "--env", "other"), "there is no such environment"),
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


@pytest.mark.parametrize("arguments", [("import", "model.json"), ("export",), ("backup", "out.db")])
def test_a_directory_without_a_store(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    model_file(tmp_path)
    done = writ(*arguments, "--data", tmp_path / "empty", cwd=tmp_path)
    assert done.returncode == 2
    assert b"has no store" in done.stderr


def test_a_backup_is_restored_while_the_original_runs_on(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--import", str(model_file(tmp_path))) as server, server.client() as client:
        assert writ("backup", tmp_path / "copy.db", "--data", tmp_path / "data").returncode == 0
        writ("import", model_file(tmp_path, grants=[]), "--data", tmp_path / "data")
        assert writ("restore", tmp_path / "copy.db", "--data", tmp_path / "other").returncode == 0
        with running(tmp_path / "other") as restored, restored.client() as copy:
            assert copy.post(SINGLE, json=ASKED).json()["decision"] is True
            assert copy.get("/readyz").json()["bundle"]["epoch"] == client.get("/readyz").json()["bundle"]["epoch"] + 1
        assert client.post(SINGLE, json=ASKED).json()["decision"] is False
