"""Chooses the administrator's keys at the start: supplied keys, the stored keys, or a new key."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from .admin_key import (
    FILE_VARIABLE,
    KEY_FILE,
    VARIABLE,
    AdminKey,
    UnusableKey,
    forget_key,
    new_key,
    preset_digest,
    store_keys,
    stored_keys,
    supplied_keys,
)


@dataclass(frozen=True, slots=True)
class SuppliedKeys:
    """The keys that an operator supplies by `variable`: `read` returns them, or raises UnusableKey.

    `path` is that of their file, or None for one key that stays the same.
    """

    variable: str
    read: Callable[[], tuple[AdminKey, ...]]
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class AdminAccess:
    """The administrator's keys, the newest first, and the newest key itself if this start made it.

    `adopted` is the source of supplied keys that were not stored before, or else None. `replaces` means that other keys
    were valid before.
    """

    keys: tuple[AdminKey, ...]
    fresh_key: str | None = None
    adopted: SuppliedKeys | None = None
    replaces: bool = False

    @property
    def is_new(self) -> bool:
        """Returns whether these keys differ from those before."""
        return self.adopted is not None or self.fresh_key is not None


def supplied_by(key: str | None, file: str | None) -> SuppliedKeys | None:
    """Returns the keys that the settings supply, or None. Raises UnusableKey if both are set."""
    if key is not None and file is not None:
        raise UnusableKey(f"`{VARIABLE}` and `{FILE_VARIABLE}` are both set; unset one of them")
    if file is not None:
        path = Path(file)
        return SuppliedKeys(FILE_VARIABLE, lambda: supplied_keys(path), path)
    return None if key is None else SuppliedKeys(VARIABLE, lambda: (AdminKey(preset_digest(key)),))


def admin_access(directory: Path, supplied: SuppliedKeys | None) -> AdminAccess:
    """Returns the supplied keys, or else those of an earlier start in `directory`, or else a new key.

    This stores nothing, since the audit log records a new key first. After that, `keep_adopted` stores supplied keys,
    and `store_keys` stores a new one once it was handed over.

    Raises:
        UnusableKey: the supplied keys or the file can't be used.
        OSError: `directory` can't be read.
    """
    stored = stored_keys(directory)
    if supplied is not None:
        keys = supplied.read()
        if keys == stored:
            return AdminAccess(keys)
        return AdminAccess(keys, adopted=supplied, replaces=stored is not None)
    if stored is not None:
        return AdminAccess(stored)
    key, digest = new_key()
    return AdminAccess((AdminKey(digest),), key)


def keep_adopted(directory: Path, access: AdminAccess) -> None:
    """Stores supplied keys in place of any others. Raises OSError if `directory` can't be written.

    An earlier start may have written its key to a file there, which goes. An operator may supply that same file.
    """
    if access.adopted is None:
        return
    store_keys(directory, access.keys)
    path, handed = access.adopted.path, directory / KEY_FILE
    if path is None or not handed.exists() or not path.samefile(handed):
        forget_key(directory)


def details_of(keys: Iterable[AdminKey]) -> dict[str, object]:
    """Returns the details of the event in the audit log: the keys that count from now on, by their fingerprints."""
    return {"keys": [{"key": key.fingerprint, "until": key.until} for key in keys]}
