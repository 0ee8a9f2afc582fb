"""The file of callers: JSON lines, each with the name of a caller and the SHA-256 of its key."""

from pathlib import Path
from typing import Annotated, Final

import msgspec

from ....bundles.prepared import prepared

MOST_BYTES: Final = 1024 * 1024
"""The most bytes of the file. A worker reads it between two decisions, so this must take a few milliseconds only."""


class UnusableCallers(ValueError):
    """The file can't be used. The message is one sentence with the place and the remedy."""


@prepared
class AgentCaller(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A caller. `sha256` is the hexadecimal digest of its key."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=256)]
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-fA-F]{64}\Z")]


def read_callers(path: Path) -> dict[bytes, str]:
    """Returns the names of callers by the digests of their keys. Raises UnusableCallers, and OSError."""
    with path.open("rb") as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise UnusableCallers(f"{path}: it has more than {MOST_BYTES} bytes")
    found: dict[bytes, str] = {}
    for place, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            caller = msgspec.json.decode(line, type=AgentCaller)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            remedy = 'give `{"name": …, "sha256": …}`, with the SHA-256 of the key in hexadecimal'
            raise UnusableCallers(f"{path}:{place}: this is no caller; {remedy}") from None
        digest = bytes.fromhex(caller.sha256)
        if digest in found:
            raise UnusableCallers(f"{path}:{place}: `{found[digest]}` has the same key; give each caller its own")
        found[digest] = caller.name
    return found
