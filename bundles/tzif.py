"""The layout of a TZif file (RFC 8536), checked whole before the standard library reads one from a bundle.

Its reader believes what a file says: it waits for ever for the end of one that is cut, and its C part follows numbers
out of range into foreign memory.
"""

import re
import struct
from typing import NamedTuple

MAX_BYTES = 65_536
"""Twenty times the largest file of the IANA database."""

_HEADER = struct.Struct(">4sc15x6L")
_TYPE = struct.Struct(">lBB")
_FOOTER = re.compile(rb"\n[A-Za-z0-9<>+,./:-]{0,100}\n")
_FAR = 2**59
"""Seconds, beyond every real transition: sums with offsets stay within 64 bits."""

_DAY = 86_400


class _Counts(NamedTuple):
    """What a header announces, in its order; the names are those of the RFC."""

    isutcnt: int
    isstdcnt: int
    leapcnt: int
    timecnt: int
    typecnt: int
    charcnt: int

    def size(self, time_size: int) -> int:
        """Bytes of the data block behind the header."""
        return (
            self.timecnt * (time_size + 1)
            + self.typecnt * _TYPE.size
            + self.charcnt
            + self.leapcnt * (time_size + 4)
            + self.isstdcnt
            + self.isutcnt
        )


def safe_to_read(data: bytes) -> bytes:
    """The TZif file with its daylight saving flags cleared, by which no offset changes.

    They only say by how much a clock is put forward, which nobody here asks, and the standard library's search for it
    may run past the last transition. Raises ValueError, one sentence, for what is no such file.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"it has {len(data)} bytes, the limit is {MAX_BYTES}")
    start = _HEADER.size + _counts(data, 0).size(time_size=4)  # the first block is for readers of 32 bits
    counts = _counts(data, start)
    times = start + _HEADER.size
    footer = times + counts.size(time_size=8)
    if not _FOOTER.fullmatch(data, footer):
        raise ValueError("its parts do not fill it")
    _check_transitions(data, times, counts)
    first_type = times + counts.timecnt * 9
    return _with_standard_types(data, first_type, counts)


def _counts(data: bytes, start: int) -> _Counts:
    if start + _HEADER.size > len(data):
        raise ValueError("it is cut")
    magic, version, *counts = _HEADER.unpack_from(data, start)
    if magic != b"TZif" or not b"2" <= version <= b"9":
        raise ValueError("it does not start like one of version 2 or later")
    return _Counts(*counts)


def _check_transitions(data: bytes, start: int, counts: _Counts) -> None:
    times = struct.unpack_from(f">{counts.timecnt}q", data, start)
    if list(times) != sorted(set(times)) or any(abs(time) > _FAR for time in times):
        raise ValueError("its transitions are out of order")
    kinds = data[start + counts.timecnt * 8 :][: counts.timecnt]
    if not counts.typecnt or any(kind >= counts.typecnt for kind in kinds):
        raise ValueError("a transition leads to no local time")


def _with_standard_types(data: bytes, start: int, counts: _Counts) -> bytes:
    changed = bytearray(data)
    for place in range(start, start + counts.typecnt * _TYPE.size, _TYPE.size):
        offset, _, name = _TYPE.unpack_from(data, place)
        if not -_DAY < offset < _DAY or name >= counts.charcnt:
            raise ValueError("a local time is out of range")
        _TYPE.pack_into(changed, place, offset, 0, name)
    return bytes(changed)
