"""A private file belongs to its owner alone, is written whole or not at all, and its secret is made once."""

import stat
from pathlib import Path

import pytest
from writ.api.store.database.private_files import SECRET_BYTES, read_or_create_secret, write_atomically, write_new


def test_it_is_its_owner_s_and_leaves_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    for content in (b"first", b"second"):
        write_atomically(path, content)
        assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (content, 0o600)
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"old")

    def fail(draft: Path) -> None:
        assert draft.read_bytes() == b"new"
        raise PermissionError

    with pytest.raises(PermissionError):
        write_atomically(path, b"new", fail)
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"old", [path])
    with pytest.raises(FileExistsError):
        write_new(path, b"new")


def test_a_secret_is_made_once_and_anew_where_it_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    made = read_or_create_secret(path)
    assert len(made) == SECRET_BYTES
    assert read_or_create_secret(path) == made
    path.write_bytes(made[:-1])
    again = read_or_create_secret(path)
    assert (len(again), again == made) == (SECRET_BYTES, False)
    assert read_or_create_secret(path) == again
