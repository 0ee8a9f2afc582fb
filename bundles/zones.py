"""Time zones as data: a bundle contains the rules of the zones that it names, so that a decision can be replayed.

The rules are TZif files (RFC 8536). Writ checks a TZif file from a bundle before the standard library reads it, because
that reader trusts the file. It never ends on a truncated file, and its C code follows numbers that are out of range
into foreign memory.
"""

import io
import re
import struct
from datetime import tzinfo
from functools import cache
from importlib import resources
from typing import NamedTuple
from zoneinfo import ZoneInfo

import tzdata

from .errors import UNREADABLE, BundleError

VERSION: str = tzdata.IANA_VERSION
"""The release of the IANA database that zones are read from."""

MAX_BYTES = 65_536
"""Twenty times the largest file of the IANA database."""

_HEADER = struct.Struct(">4sc15x6L")
_LOCAL_TIME_TYPE = struct.Struct(">lBB")
_FOOTER = re.compile(rb"\n[A-Za-z0-9<>+,./:-]{0,100}\n")
_FARTHEST_TRANSITION = 2**59
"""Seconds from the epoch. Real transitions are much nearer, and sums with offsets stay within 64 bits."""

_DAY = 86_400


class _HeaderCounts(NamedTuple):
    """The counts in a header, in its order. The RFC gives their names."""

    isutcnt: int
    isstdcnt: int
    leapcnt: int
    timecnt: int
    typecnt: int
    charcnt: int

    def size(self, time_size: int) -> int:
        """Returns the size of the data block after the header, in bytes. A time has `time_size` bytes."""
        return (
            self.timecnt * (time_size + 1)
            + self.typecnt * _LOCAL_TIME_TYPE.size
            + self.charcnt
            + self.leapcnt * (time_size + 4)
            + self.isstdcnt
            + self.isutcnt
        )


@cache
def zone_names() -> frozenset[str]:
    """Returns the names of all IANA zones."""
    return frozenset(resources.files("tzdata").joinpath("zones").read_text().split())


def zone_data(name: str) -> bytes:
    """Returns the TZif file of a zone. Raises KeyError for an unknown name."""
    if name not in zone_names():
        raise KeyError(name)
    return resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()


@cache
def installed_zone(name: str) -> tzinfo:
    """Returns a zone of the installed database. Raises KeyError for an unknown name."""
    return decode_zone(name, zone_data(name))


def decode_zone(name: str, data: bytes) -> tzinfo:
    """Returns the zone of a TZif file. Raises BundleError for other data."""
    try:
        return ZoneInfo.from_file(io.BytesIO(_checked(data)), key=name)
    except (struct.error, AssertionError, MemoryError, OSError, *UNREADABLE) as ex:
        raise BundleError(f"the bundle is damaged: zone `{name}` can't be read: {ex}") from None


def transition_seconds(data: bytes) -> tuple[int, ...]:
    """Returns the seconds since 1970 at which a TZif file that `decode_zone` reads changes the local time, in order.

    After the last one, the rule in the footer of the file may make more changes.
    """
    start = _HEADER.size + _counts(data, 0).size(time_size=4)
    return struct.unpack_from(f">{_counts(data, start).timecnt}q", data, start + _HEADER.size)


def _checked(data: bytes) -> bytes:
    """Returns the TZif file with its daylight saving flags cleared. Raises ValueError for other data.

    No offset depends on these flags, and Writ never asks for them. The standard library's search for the amount of
    daylight saving may run past the last transition.
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
    return _with_standard_time(data, first_type, counts)


def _counts(data: bytes, start: int) -> _HeaderCounts:
    if start + _HEADER.size > len(data):
        raise ValueError("it is truncated")
    magic, version, *counts = _HEADER.unpack_from(data, start)
    if magic != b"TZif" or not b"2" <= version <= b"9":
        raise ValueError("it is not a TZif file of version 2 or later")
    return _HeaderCounts(*counts)


def _check_transitions(data: bytes, start: int, counts: _HeaderCounts) -> None:
    times = struct.unpack_from(f">{counts.timecnt}q", data, start)
    if list(times) != sorted(set(times)) or any(abs(time) > _FARTHEST_TRANSITION for time in times):
        raise ValueError("its transitions are out of order")
    types = data[start + counts.timecnt * 8 :][: counts.timecnt]
    if not counts.typecnt or any(type >= counts.typecnt for type in types):
        raise ValueError("a transition names a local time that does not exist")


def _with_standard_time(data: bytes, start: int, counts: _HeaderCounts) -> bytes:
    changed = bytearray(data)
    for place in range(start, start + counts.typecnt * _LOCAL_TIME_TYPE.size, _LOCAL_TIME_TYPE.size):
        offset, _, name = _LOCAL_TIME_TYPE.unpack_from(data, place)
        if not -_DAY < offset < _DAY or name >= counts.charcnt:
            raise ValueError("a local time is out of range")
        _LOCAL_TIME_TYPE.pack_into(changed, place, offset, 0, name)
    return bytes(changed)
