"""The file `current.json`, which names the files of the state and says where the follower is."""

from hashlib import sha256
from typing import Final

import msgspec

from ....bundles.errors import UNREADABLE, BundleError
from ....bundles.feed.position import Position
from ....bundles.prepared import prepared
from ..freshness import Freshness

CURRENT: Final = "current.json"
LONGEST_CURRENT: Final = 64 * 1024
"""The most bytes of the file."""


@prepared
class Current(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of the state directory.

    - `environment`, `epoch`, `revision` and `manifest` are the position in force. Nothing older is accepted any more.
    - `bundle` is the name of the bundle's file without its ending. The updates since are in a file of the same name.
    - `updates` is the size in bytes of the updates that count. What stands behind them was not accepted.
    - `callers` is the name of the file with the list of callers, or None.
    - `tag` is that of the source's last answer. `accepted` is when the position came into force, in epoch seconds.
    - `fresh` is when the source last said that nothing is newer, and `error` why it did not say so since.
    """

    environment: str
    epoch: int
    revision: int
    manifest: str
    bundle: str
    updates: int
    callers: str | None
    tag: str | None
    accepted: float
    fresh: Freshness | None
    error: str | None

    @property
    def position(self) -> Position:
        """The position in force."""
        return Position(self.environment, self.epoch, self.revision, self.manifest)


@prepared
class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    checksum: str
    current: msgspec.Raw


def encode_current(current: Current) -> bytes:
    """Returns the content of the file."""
    raw = msgspec.json.encode(current)
    return msgspec.json.encode(_File(_checksum(raw), msgspec.Raw(raw))) + b"\n"


def decode_current(data: bytes) -> Current:
    """Returns what the file says. Raises BundleError if it is damaged."""
    try:
        file = msgspec.json.decode(data, type=_File)
        if file.checksum != _checksum(bytes(file.current)):
            raise ValueError("the checksum does not match")
        return msgspec.json.decode(file.current, type=Current)
    except (msgspec.MsgspecError, *UNREADABLE):
        raise BundleError(f"`{CURRENT}` of the state directory is damaged") from None


def _checksum(raw: bytes) -> str:
    return sha256(raw).hexdigest()
