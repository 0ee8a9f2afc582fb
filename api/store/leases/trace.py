"""The trace of a database in a server's data directory: an older copy of the database lacks it."""

import os
import secrets
import struct
import zlib
from pathlib import Path
from typing import Final, NamedTuple

from ....bundles.system_errors import reason_of
from ..database.private_files import write_new
from ..errors import StoreUnavailable
from .primary_mark import PrimaryLine

TRACE: Final = "database.trace"
"""The file."""

_ID_BYTES: Final = 16
_CONTENT: Final = struct.Struct(f"<{_ID_BYTES}s{_ID_BYTES}s{len(PrimaryLine._fields) + 1}q")
_SUM: Final = struct.Struct("<I")
_READINGS: Final = 100
"""The times that a file is read again, if another process is just writing it."""


class Seen(NamedTuple):
    """The last trace that a server left: its `id` in the database, the `line` there, and the `number` of the trace.

    It says something about databases with the same identity of the `store` alone. One of the same line that has a lower
    number for this id, or none, is an older copy. One of another line that did not begin later is an earlier one.
    """

    store: bytes
    id: str
    line: PrimaryLine
    number: int


class Trace:
    """The trace of one data directory. Any process may read it, and the keeper writes it."""

    def __init__(self, directory: Path) -> None:
        self._path: Final = directory / TRACE

    def read(self) -> Seen | None:
        """Returns the last trace, or None if there is none, or if the file is damaged. Raises StoreUnavailable."""
        try:
            return next(filter(None, (_unpacked(self._path.read_bytes()) for _ in range(_READINGS))), None)
        except FileNotFoundError:
            return None
        except OSError as ex:
            raise StoreUnavailable(f"the file `{self._path}` can't be read: {reason_of(ex)}") from None

    def id(self) -> str:
        """Returns the id that the directory has in the database, made by the first call.

        Raises OSError, StoreUnavailable.
        """
        seen = self.read()
        if seen is None:
            self._path.unlink(missing_ok=True)
            write_new(self._path, _packed(bytes(_ID_BYTES), secrets.token_bytes(_ID_BYTES), _NOWHERE, 0))
            seen = self.read()
            assert seen is not None
        return seen.id

    def keep(self, seen: Seen) -> None:
        """Keep a trace that the database has. Raises OSError."""
        with self._path.open("r+b", buffering=0) as file:
            os.pwrite(file.fileno(), _packed(seen.store, bytes.fromhex(seen.id), seen.line, seen.number), 0)


_NOWHERE: Final = PrimaryLine(*(0 for _ in PrimaryLine._fields))


def _unpacked(file: bytes) -> Seen | None:
    content = file[: _CONTENT.size]
    if len(content) < _CONTENT.size or file[_CONTENT.size :] != _SUM.pack(zlib.crc32(content)):
        return None
    store, id, *line, number = _CONTENT.unpack(content)
    return Seen(store, id.hex(), PrimaryLine(*line), number)


def _packed(store: bytes, id: bytes, line: PrimaryLine, number: int) -> bytes:
    content = _CONTENT.pack(store, id, *line, number)
    return content + _SUM.pack(zlib.crc32(content))
