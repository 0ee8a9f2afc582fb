"""What the commands write: a data directory is its owner's, whatever the umask; an output is the user's."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command import writ
from tests.support.server import running


@pytest.fixture
def open_umask() -> Iterator[None]:
    """The umask of somebody who keeps nothing from anybody."""
    before = os.umask(0)
    yield
    os.umask(before)


def modes(path: Path) -> set[tuple[str, int]]:
    return {("folder" if path.is_dir() else "file", path.stat().st_mode & 0o777)}


@pytest.mark.usefixtures("open_umask")
def test_all_of_a_data_directory_is_its_owner_s(tmp_path: Path, model_file: Path) -> None:
    """Also its parents, what the service makes while it runs, and what its processes do: replacing, compaction."""
    data = tmp_path / "deep" / "deeper" / "data"
    assert writ("import", model_file, "--data", data).returncode == 0
    assert stat.S_IMODE((data / "admin-key").stat().st_mode) == 0o600
    with running(data) as server, server.client() as client:
        many = {"model": 1, "roles": [{"id": f"r{number}"} for number in range(1_500)]}
        assert client.put("/v1/environments/default/model", json=many).status_code == 200
        assert client.get("/readyz").json()["bundle"]["revision"] == 2
        for arguments in (("keys", "rotate"), ("clients", "create", "c", "--scope", "read"), ("backup", data / "copy")):
            assert writ(*arguments, "--data", data).returncode == 0
    for folder in (data, tmp_path / "new" / "data"):
        assert writ("restore", data / "copy", "--data", folder).returncode == 0
    made = [data.parent, data.parent.parent, data, tmp_path / "new", *data.rglob("*"), *(tmp_path / "new").rglob("*")]
    log = data.parent / "data.log"  # the test's own
    assert {path.name for path in made} >= {"writ.db", "serve.lock", "compaction.lock", "bundles", "keys"}
    assert set.union(*(modes(path) for path in made if path != log)) == {("folder", 0o700), ("file", 0o600)}


@pytest.mark.usefixtures("open_umask")
def test_what_is_written_for_the_user_has_the_user_s_umask(tmp_path: Path, model_file: Path) -> None:
    assert writ("import", model_file, "--data", tmp_path / "data").returncode == 0
    os.umask(0o027)
    assert writ("export", "--data", tmp_path / "data", "-o", tmp_path / "model.json").returncode == 0
    assert writ("compile", model_file, "-o", tmp_path / "model.bundle").returncode == 0
    assert modes(tmp_path / "model.json") == modes(tmp_path / "model.bundle") == {("file", 0o640)}
