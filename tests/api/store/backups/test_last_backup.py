"""The trace of the last backup: it tells only what can be believed."""

import os
from pathlib import Path

import pytest
from writ.api.store.backups.last_backup import CLOCK_SECONDS, FILE, last_backup, note_backup
from writ.api.store.errors import StoreUnavailable

NOW = 1_800_000_000.0


def test_a_backup_is_remembered_with_its_file(tmp_path: Path) -> None:
    assert last_backup(tmp_path, NOW) is None
    for began in (NOW - 7_200.5, NOW - 3_600.5):
        note_backup(tmp_path, tmp_path / "writ.db", began)
    found = last_backup(tmp_path, NOW)
    assert found is not None
    assert (found.seconds, found.file) == (NOW - 3_601, str(tmp_path / "writ.db"))
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == [FILE]


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b'{"time":"yesterday","file":"x"}', b'{"time":1,"file":"x"}'])
def test_a_trace_that_can_not_be_read_tells_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    assert last_backup(tmp_path, NOW) is None


def test_a_trace_from_the_future_tells_nothing(tmp_path: Path) -> None:
    """The clock was set back. The age would be less than 0 for as long, and no alert would come."""
    note_backup(tmp_path, tmp_path / "writ.db", NOW)
    assert last_backup(tmp_path, NOW - CLOCK_SECONDS) is not None
    assert last_backup(tmp_path, NOW - CLOCK_SECONDS - 1) is None


def test_a_backup_that_can_not_be_noted_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match=r"is complete, but `.*last-backup` can't be written"):
        note_backup(tmp_path / "gone", tmp_path / "writ.db", NOW)
