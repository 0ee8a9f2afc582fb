"""The inputs of `writ compile` and `writ inspect` for a signature: files of keys, and the time until it expires."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from ....bundles.signing.pem_keys import SigningKey, UnusableBundleKey, read_public_keys, read_signing_key
from ....bundles.signing.sign import DAY, LONGEST_LIFETIME
from ....bundles.system_errors import os_sentence
from ...identity.keys.key_files import read_file
from ...settings.durations import read_duration
from ..output import CommandFailed, error_console

_OTHERS: Final = 0o077


def read_lifetime(_context: click.Context, _parameter: click.Parameter, value: str | None) -> int | None:
    """Returns the seconds of a time like `12h`: whole seconds, minutes, hours or days.

    Raises BadParameter for other text, and for no time or one over LONGEST_LIFETIME.
    """
    if value is None:
        return None
    try:
        return read_duration(value, LONGEST_LIFETIME // DAY)
    except ValueError as ex:
        raise click.BadParameter(str(ex)) from None


def signing_key_in(path: Path) -> SigningKey:
    """Returns the private key in a file. Warns on standard error if other users may read it. Raises CommandFailed."""
    try:
        key = read_signing_key(read_file(path))
        found = path.stat()
    except (OSError, UnusableBundleKey) as ex:
        raise CommandFailed(_sentence(path, ex)) from None
    if stat.S_ISREG(found.st_mode) and found.st_mode & _OTHERS:
        error_console().print(f"WARNING: other users can read or write `{path}`; `chmod 600` it", markup=False)
    return key


def public_keys_in(paths: Sequence[Path]) -> list[bytes]:
    """Returns the texts of files of public keys, each of which can verify a bundle. Raises CommandFailed."""
    texts = []
    for path in paths:
        try:
            texts.append(read_file(path))
            read_public_keys(texts[-1])
        except (OSError, UnusableBundleKey) as ex:
            raise CommandFailed(_sentence(path, ex)) from None
    return texts


def _sentence(path: Path, error: Exception) -> str:
    """Returns what is wrong with a file. A path that is a key by mistake is not repeated."""
    shown = path if os.path.lexists(path) else "the file of the key"
    if isinstance(error, OSError):
        return os_sentence(OSError(error.errno, error.strerror, str(shown)))
    return f"{shown}: {error}"
