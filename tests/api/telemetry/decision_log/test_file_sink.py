"""The file of a decision log: whole records from several processes, rotation, and a disk that is full."""

import errno
import multiprocessing
import os
import stat
from pathlib import Path
from unittest.mock import patch

import pytest
from writ.api.telemetry.decision_log.sinks.file import FileSink
from writ.api.telemetry.decision_log.sinks.sink import SinkFailed

PROCESSES, BATCHES, RECORDS = 4, 100, 25
_FORK = multiprocessing.get_context("fork")


def write(path: Path, process: int) -> None:
    """Append batches of records, some longer than what the system writes at once to a pipe."""
    sink = FileSink(path)
    for batch in range(BATCHES):
        sink.send(b"".join(record(process, batch, number) + b"\n" for number in range(RECORDS)))


def record(process: int, batch: int, number: int) -> bytes:
    return b"%d:%d:%d:%s" % (process, batch, number, b"x" * (number * 400))


def test_processes_never_cut_each_others_records_while_the_file_is_rotated(tmp_path: Path) -> None:
    path = tmp_path / "log"
    running = [_FORK.Process(target=write, args=(path, number)) for number in range(PROCESSES)]
    for one in running:
        one.start()
    rotated = 0
    while any(one.is_alive() for one in running):
        if path.exists() and path.stat().st_size > 300_000:
            path.rename(tmp_path / f"log.{rotated}")
            rotated += 1
    assert rotated
    lines = [line for file in tmp_path.iterdir() for line in file.read_bytes().splitlines()]
    expected = [record(p, b, n) for p in range(PROCESSES) for b in range(BATCHES) for n in range(RECORDS)]
    assert sorted(lines) == sorted(expected)


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        FileSink(tmp_path / "log")
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600


def test_a_record_that_was_cut_by_a_killed_process_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"whole\nhal")
    FileSink(path).send(b"next\n")
    assert path.read_bytes() == b"whole\nhal\nnext\n"


def test_a_write_that_was_cut_short_is_taken_back(tmp_path: Path) -> None:
    """A disk that fills up takes a part of a write first."""
    path = tmp_path / "log"
    sink = FileSink(path)
    sink.send(b"first\n")
    real = os.write
    answers = iter([4, None])

    def full(handle: int, data: memoryview) -> int:
        size = next(answers, len(data))
        if size is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, data[:size])

    with (
        patch("writ.api.telemetry.decision_log.sinks.file.os.write", full),
        pytest.raises(SinkFailed, match="no space left"),
    ):
        sink.send(b"second\nthird\n")
    assert path.read_bytes() == b"first\n"
    sink.send(b"second\nthird\n")
    assert path.read_bytes() == b"first\nsecond\nthird\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_a_full_disk_fails_in_one_sentence() -> None:
    with pytest.raises(SinkFailed, match=r"^/dev/full: no space left on device; make room on the disk$"):
        FileSink(Path("/dev/full")).send(b"x\n")


def test_a_folder_and_a_pipe_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "none" / "log"):
        with pytest.raises(OSError, match=r"directory|needs a file"):
            FileSink(path)
