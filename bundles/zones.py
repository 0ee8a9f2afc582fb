"""Time zones as data: a bundle carries the rules of the zones that it names, so that a decision can be replayed."""

import io
import struct
from datetime import tzinfo
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

import tzdata

from .errors import UNREADABLE, BundleError
from .tzif import safe_to_read

VERSION: str = tzdata.IANA_VERSION
"""The release of the IANA database that zones are read from."""


@cache
def zone_names() -> frozenset[str]:
    """The names of all IANA zones."""
    return frozenset(resources.files("tzdata").joinpath("zones").read_text().split())


def zone_data(name: str) -> bytes:
    """The TZif file (RFC 8536) of a zone. Raises KeyError for a name that is none."""
    if name not in zone_names():
        raise KeyError(name)
    return resources.files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()


def decode_zone(name: str, data: bytes) -> tzinfo:
    """A zone from its TZif file. Raises BundleError for data that is none."""
    try:
        return ZoneInfo.from_file(io.BytesIO(safe_to_read(data)), key=name)
    except (struct.error, AssertionError, MemoryError, OSError, *UNREADABLE) as ex:
        raise BundleError(f"the bundle is damaged: zone `{name}` can't be read: {ex}") from None
