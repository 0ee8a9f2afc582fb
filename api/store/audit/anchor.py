"""The anchor: the newest seal in a file beside the store, so that a change of the store alone can't undo it.

If several servers share the store, each has an anchor: the newest seal that it has made, or has verified to continue
its earlier one.
"""

from pathlib import Path
from typing import Final

import msgspec

from ....bundles.system_errors import reason_of
from ..database.private_files import write_atomically
from .seals import Seal
from .tampering import Tampered

FILE: Final = "audit-head"
"""The file in the data directory, with access for its owner alone."""


class Anchor:
    """The file. It holds a seal as JSON with its signature, so a change of it needs the key."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> Seal | None:
        """Returns the seal, not verified yet, or None if there is no file.

        Raises Tampered if the file is not a seal.
        """
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=Seal)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, msgspec.MsgspecError) as ex:
            reason = reason_of(ex) if isinstance(ex, OSError) else str(ex)
            raise Tampered(f"`{self.path}`, the newest seal, can't be read: {reason}") from None

    def write(self, seal: Seal) -> None:
        """Replace the seal atomically. Raises OSError."""
        write_atomically(self.path, msgspec.json.encode(seal))

    def put_aside(self) -> None:
        """Rename the file, since another store replaces this one. Raises OSError."""
        if self.path.exists():
            self.path.replace(self.path.with_name(f"{self.path.name}.replaced"))
