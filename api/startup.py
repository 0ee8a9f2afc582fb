"""Getting ready to serve: the settings, the data directory, the bundle in it, the administrator's key."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from api.admin_key import new_key, preset_digest, store_digest, stored_digest
from api.limits import HttpLimits, limits_from

BUNDLE_FILE: Final = "default.bundle"
KEY_VARIABLE: Final = "WRIT_ADMIN_KEY"

_DIRECTORY_MODE: Final = 0o700


class UnusableDirectory(Exception):
    """The data directory can't be made or written; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says. `preset_key` is the administrator's key where the operator chose it."""

    limits: HttpLimits
    preset_key: str | None


@dataclass(frozen=True, slots=True)
class AdminAccess:
    """The SHA-256 of the administrator's key, and the key itself when it was made just now."""

    digest: bytes
    fresh_key: str | None = None


def settings_from(environment: Mapping[str, str]) -> Settings:
    """The one place that reads the environment.

    Raises:
        BadSetting: a value that can't be used.
    """
    return Settings(limits_from(environment), environment.get(KEY_VARIABLE) or None)


def prepare_directory(directory: Path) -> None:
    """Make `directory`, for its owner alone, unless it is there, and see that it can be written.

    Raises:
        UnusableDirectory: neither.
    """
    try:
        directory.mkdir(mode=_DIRECTORY_MODE, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UnusableDirectory(f"`{directory}` can't be used as the data directory: {reason}") from None


def admin_access(directory: Path, preset: str | None) -> AdminAccess:
    """The preset key; else the one that an earlier start left in `directory`; else a new one.

    A preset key is remembered, so that a later start without it keeps it. A new one is not: whoever gets it
    handed over keeps it first (see `store_digest`).

    Raises:
        UnusableKey: the preset key or the file can't be used.
        OSError: `directory` can't be read or written.
    """
    stored = stored_digest(directory)
    if preset is not None:
        digest = preset_digest(preset)
        if digest != stored:
            store_digest(directory, digest)
        return AdminAccess(digest)
    if stored is not None:
        return AdminAccess(stored)
    key, digest = new_key()
    return AdminAccess(digest, key)
