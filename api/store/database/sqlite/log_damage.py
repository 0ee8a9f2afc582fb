"""Finds out that the log of SQLite was damaged, and that acknowledged commits are lost by it.

SQLite reads the log up to the first frame whose checksum is wrong, and drops the rest without a word. At most the last
commit may end so, when the power fails before it is acknowledged. Format: https://www.sqlite.org/fileformat2.html#walformat
"""

import struct
from itertools import pairwise
from pathlib import Path
from typing import Final

LOG: Final = "-wal"
MOST_BYTES: Final = 16 * 2**20
"""A longer log is not looked at: its checksums would take seconds. SQLite keeps it to 4 MiB as a rule."""

_HEAD: Final = 32
_FRAME: Final = 24
_SALTS: Final = slice(8, 16)
_WORD: Final = 0xFFFFFFFF


def sentence_on_damage(path: Path) -> str | None:
    """Returns a sentence about commits that a damaged log loses, and the remedy, or None. It is as `lost_commits`."""
    lost = lost_commits(path)
    if not lost:
        return None
    return (
        f"the log `{path.name}{LOG}` was damaged, and {lost} changes after the damage are lost; stop the service, and"
        " run `writ restore` with a backup, or with one that `writ backup` makes now, to go on without them in a new"
        " epoch"
    )


def lost_commits(path: Path) -> int:
    """Returns how many commits follow the first damaged frame of a database's log, but 0 if only the last one does.

    Call it before SQLite opens the database, and while no process writes to it. Raises OSError.
    """
    file = path.with_name(path.name + LOG)
    if not file.exists() or not _HEAD < file.stat().st_size <= MOST_BYTES:
        return 0
    log = file.read_bytes()
    salts = log[16:24]
    size = _FRAME + struct.unpack_from(">I", log, 8)[0]
    order = ">" if log[3] & 1 else "<"
    sums = _summed(log[:24], (0, 0), order)
    is_intact = sums == struct.unpack_from(">II", log, 24)
    lost = 0
    for begin, end in pairwise(range(_HEAD, len(log) + 1, size)):
        frame = log[begin:end]
        if is_intact and frame[_SALTS] != salts:
            return 0  # left by an earlier log in the same file
        if is_intact:
            sums = _summed(frame[_FRAME:], _summed(frame[:8], sums, order), order)
            is_intact = sums == struct.unpack_from(">II", frame, 16)
        if not is_intact and frame[_SALTS] == salts and frame[4:8] != bytes(4):
            lost += 1
    return lost if lost > 1 else 0


def _summed(data: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    """Returns SQLite's checksum of the data, which goes on from the sums of the bytes before."""
    one, two = sums
    for first, second in struct.iter_unpack(f"{order}II", data):
        one = (one + first + two) & _WORD
        two = (two + second + one) & _WORD
    return one, two
