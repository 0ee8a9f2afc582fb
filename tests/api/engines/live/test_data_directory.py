"""The data directory: its mode, its locks, and the rights of other users."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from writ.api.engines.live import data_directory
from writ.api.engines.live.data_directory import UnusableDirectory, hold, prepare_directory
from writ.api.engines.live.import_model import builder_lock

from tests.support.waiting import wait_until


def test_a_directory_is_made_for_its_owner(tmp_path: Path) -> None:
    directory = tmp_path / "deep" / "data"
    prepare_directory(directory)
    prepare_directory(directory)
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert list(directory.iterdir()) == []


def test_a_directory_that_can_t_be_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for directory in (tmp_path / "file", tmp_path / "file" / "data"):
        with pytest.raises(UnusableDirectory, match="can't be used as the data directory: ") as refused:
            prepare_directory(directory)
        assert "\n" not in str(refused.value)


def test_a_lock_that_becomes_free_is_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If a master is killed, its workers hold the lock for a moment more."""
    said = list[str]()
    with hold(tmp_path) as held, ThreadPoolExecutor(1) as pool:
        assert capsys.readouterr().err == ""
        waiting = pool.submit(hold, tmp_path)
        assert wait_until(lambda: said.append(capsys.readouterr().err) or said[-1])
        held.close()
        with waiting.result():
            pass
    assert "".join(said) == f"`{tmp_path}` is in use; waiting up to 5 seconds for it\n"


def test_a_lock_that_stays_held_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_directory, "LOCK_SECONDS", 0.1)
    with hold(tmp_path), pytest.raises(UnusableDirectory, match="is served by another process"):
        hold(tmp_path)


def test_a_directory_that_others_can_write_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A warning and not an error: a container's volume may have a reason for such rights."""
    for mode, warned in ((0o700, False), (0o755, False), (0o775, True), (0o757, True)):
        tmp_path.chmod(mode)
        prepare_directory(tmp_path)
        said = capsys.readouterr().err
        assert said.startswith(f"WARNING: other users can write to `{tmp_path}`") is warned, oct(mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a directory to another user")
def test_a_directory_of_somebody_else_is_warned_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.chown(tmp_path, 65_534, -1)
    prepare_directory(tmp_path)
    assert f"`{tmp_path}` belongs to another user" in capsys.readouterr().err


def test_a_lock_is_its_owner_s_alone(tmp_path: Path) -> None:
    """Any process that can open the file, even to read, can lock it.

    The mode of an earlier version's file is corrected.
    """
    before = os.umask(0)
    try:
        with hold(tmp_path), builder_lock(tmp_path):
            made = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert made == {"serve.lock": 0o600, "compaction.lock": 0o600}
    for path in tmp_path.iterdir():
        path.chmod(0o644)
    with hold(tmp_path), builder_lock(tmp_path):
        assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def test_a_lock_is_no_link_to_another_file(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("kept")
    (tmp_path / "serve.lock").symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match=r"serve\.lock"):
        hold(tmp_path)
    assert (tmp_path / "other").read_text() == "kept"
