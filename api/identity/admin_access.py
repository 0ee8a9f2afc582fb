"""Chooses the administrator's key at the start: a preset key, the stored key, or a new key."""

from dataclasses import dataclass
from pathlib import Path

from .admin_key import forget_key, new_key, preset_digest, store_digest, stored_digest


@dataclass(frozen=True, slots=True)
class AdminAccess:
    """The SHA-256 of the administrator's key, and the key itself if this start made it.

    `adopted` means that the key is preset and was not valid before. `replaces` means that another key was valid before.
    """

    digest: bytes
    fresh_key: str | None = None
    adopted: bool = False
    replaces: bool = False

    @property
    def is_new(self) -> bool:
        """Returns whether this key was not valid before."""
        return self.adopted or self.fresh_key is not None


def admin_access(directory: Path, preset: str | None) -> AdminAccess:
    """Returns the preset key, or else the key of an earlier start in `directory`, or else a new key.

    This stores nothing, since the audit log records a new key first. After that, `keep_adopted` stores a preset key,
    and `store_digest` stores a new one once it was handed over.

    Raises:
        UnusableKey: the preset key or the file can't be used.
        OSError: `directory` can't be read.
    """
    stored = stored_digest(directory)
    if preset is not None:
        digest = preset_digest(preset)
        if digest == stored:
            return AdminAccess(digest)
        return AdminAccess(digest, adopted=True, replaces=stored is not None)
    if stored is not None:
        return AdminAccess(stored)
    key, digest = new_key()
    return AdminAccess(digest, key)


def keep_adopted(directory: Path, access: AdminAccess) -> None:
    """Stores a preset key in place of any other. Raises OSError if `directory` can't be written."""
    if access.adopted:
        store_digest(directory, access.digest)
        forget_key(directory)
