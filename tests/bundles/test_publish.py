"""A published file is whole or not there, and its mode is the umask's."""

import os
import stat
from pathlib import Path

import pytest
from writ.bundles.publish import published


@pytest.fixture
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o027, 0o002], indirect=True)
def test_the_mode_is_what_the_umask_leaves(umask, tmp_path):
    target = tmp_path / "model.bundle"
    for content in (b"first", b"second"):  # replacing a file likewise
        with published(target) as file:
            file.write(content)
        assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask
    assert target.read_bytes() == b"second"


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path):
    target = tmp_path / "model.bundle"
    target.write_bytes(b"old")
    with published(target) as file:
        file.write(b"ne")
        assert target.read_bytes() == b"old"
        file.seek(0)
        file.write(b"new")
    assert target.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["model.bundle"]


def test_nothing_is_left_of_what_fails(tmp_path):
    target = tmp_path / "model.bundle"
    target.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), published(target) as file:
        _fail_half_way(file)
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model.bundle"]


def _fail_half_way(file):
    file.write(b"half")
    raise KeyboardInterrupt


def test_file_and_folder_are_on_the_disk_before_and_after_the_rename(tmp_path, monkeypatch):
    """Content, then name: the other order can leave an empty file after a loss of power."""
    calls: list[tuple[str, Path]] = []
    fsync, rename = os.fsync, os.replace

    def synced(handle: int) -> None:
        calls.append(("fsync", Path(os.readlink(f"/proc/self/fd/{handle}"))))
        fsync(handle)

    def renamed(old, new) -> None:
        assert Path(old).read_bytes() == b"content"
        calls.append(("replace", Path(new)))
        rename(old, new)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    target = tmp_path / "model.bundle"
    with published(target) as file:
        file.write(b"content")
    (first, unfinished), *rest = calls
    assert (first, unfinished.parent) == ("fsync", tmp_path)
    assert rest == [("replace", target), ("fsync", tmp_path)]


def test_a_name_as_long_as_a_file_system_takes(tmp_path):
    target = tmp_path / ("n" * 255)
    with published(target) as file:
        file.write(b"content")
    assert target.read_bytes() == b"content"


def test_a_missing_folder_is_said(tmp_path):
    with pytest.raises(FileNotFoundError, match="the folder does not exist"), published(tmp_path / "none" / "x"):
        pass


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "deep").mkdir()
    target, link = tmp_path / "deep" / "model.bundle", tmp_path / "link"
    link.symlink_to(target)
    for content in (b"first", b"second"):
        with published(link) as file:
            file.write(content)
        assert (link.is_symlink(), target.read_bytes()) == (True, content)
    assert os.listdir(tmp_path / "deep") == ["model.bundle"]


def test_a_pipe_is_written_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with published(pipe) as file:
            file.write(b"content")
        assert os.read(reader, 100) == b"content"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


def test_what_can_not_be_written_is_named_as_it_was_given(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError, match="folder"), published(tmp_path / "folder"):
        pass
    with pytest.raises(OSError, match="n" * 256), published(tmp_path / ("n" * 256)):
        raise AssertionError("nothing can be made there")
