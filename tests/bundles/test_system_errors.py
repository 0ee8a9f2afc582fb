"""The sentences about errors of the operating system: each names the path, and the remedy if Writ knows one."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from writ.bundles.system_errors import FULL_DISK, lack_at, naming, os_sentence, sentence_of, this_user

from tests.support.small_disk import files_up_to
from tests.support.unprivileged import NOBODY, entered_by_all, unprivileged


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that every user can enter."""
    with entered_by_all() as folder:
        yield folder


def refused(path: Path, mode: str = "r") -> str:
    """Returns the sentence about a path that can't be opened."""
    with unprivileged():
        with pytest.raises(PermissionError) as raised:
            path.open(mode)
        return os_sentence(raised.value)


def test_a_file_of_another_user(shared: Path) -> None:
    if os.geteuid():
        pytest.skip("to make a file of another user takes root")
    file = shared / "key.pem"
    file.write_text("secret")
    file.chmod(0o600)
    with unprivileged():
        me = this_user()
    assert refused(file) == f"{file}: permission denied; run `chown {me} {file}`, or run this as root"


def test_an_own_file_without_the_right(shared: Path) -> None:
    os.chown(shared, NOBODY, -1)
    with unprivileged():
        file = shared / "writ.db"
        file.write_text("")
        file.chmod(0o400)
    assert refused(file, "r+") == f"{file}: permission denied; run `chmod u+w {file}`"


def test_a_folder_on_the_way(shared: Path) -> None:
    os.chown(shared, NOBODY, -1)
    with unprivileged():
        folder = shared / "keys"
        folder.mkdir(mode=0o600)
        assert refused(folder / "key.pem") == f"{folder / 'key.pem'}: permission denied; run `chmod u+rwx {folder}`"
        lack = lack_at(folder / "key.pem")
        assert lack is not None
        assert lack.message == f"{this_user()} can't enter `{folder}`, which belongs to {this_user()}"


def test_a_folder_where_a_file_is_to_be_made(shared: Path) -> None:
    os.chown(shared, NOBODY, -1)
    shared.chmod(0o500)
    assert refused(shared / "new", "w") == f"{shared / 'new'}: permission denied; run `chmod u+rwx {shared}`"


def test_a_write_without_room_names_its_file(tmp_path: Path) -> None:
    """Python's error of a write names none."""
    with files_up_to(10), pytest.raises(OSError, match="File too large") as raised, naming(tmp_path / "large"):
        (tmp_path / "large").write_bytes(b"x" * 11)
    assert raised.value.errno in FULL_DISK
    sentence = f"{tmp_path / 'large'}: file too large; raise the limit on the size of files"
    assert (os_sentence(raised.value), sentence_of(raised.value)) == (sentence, sentence)


@pytest.mark.parametrize("number", sorted({*FULL_DISK, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE}))
def test_a_remedy_of_each_kind(number: int) -> None:
    assert os_sentence(OSError(number, os.strerror(number), "file")).count("; ") == 1


def test_an_error_with_a_path_keeps_it() -> None:
    with pytest.raises(FileNotFoundError) as raised, naming(Path("other")):
        Path("missing").read_text()
    assert os_sentence(raised.value) == "missing: no such file or directory"


def test_the_words_of_another_error_are_its_own() -> None:
    assert sentence_of(ValueError("no model")) == "no model"
