"""The newest seal, kept in a file beside the store: whoever can write the store alone can't take back what it says."""

from pathlib import Path
from typing import Final

import msgspec

from ..database.private_files import write_whole
from .seals import Seal
from .tampering import Tampered

FILE: Final = "audit-head"
"""In the data directory, for its owner alone."""


class Anchor:
    """The file. It holds a seal as JSON, with its signature: whoever changes it needs the key."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Seal | None:
        """The seal, not proven yet; None where there is none. Raises Tampered for a file that is none of ours."""
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=Seal)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, msgspec.MsgspecError) as ex:
            raise Tampered(f"`{self.path}`, the newest seal, can't be read: {ex}") from None

    def write(self, seal: Seal) -> None:
        """Keep another seal, never half. Raises OSError."""
        write_whole(self.path, msgspec.json.encode(seal))

    def put_aside(self) -> None:
        """Begin without one: another store takes this one's place. Raises OSError."""
        if self.path.exists():
            self.path.replace(self.path.with_name(f"{self.path.name}.replaced"))
