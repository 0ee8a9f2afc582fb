"""The key of the hashes that masks make, from a file."""

from pathlib import Path

from ...store.database.private_files import SECRET_BYTES
from .masks import LEAST_KEY_CHARACTERS, BadMasks


def key_in(file: Path) -> bytes:
    """Returns the key in a file: a text without the white space around it, or random bytes that Writ made.

    A file of 32 bytes is taken as it is. Raises BadMasks for a shorter key, and OSError.
    """
    found = file.read_bytes()
    if len(found) == SECRET_BYTES:
        return found
    key = found.strip()
    if len(key) < LEAST_KEY_CHARACTERS:
        raise BadMasks(f"the key in `{file}` must have {LEAST_KEY_CHARACTERS} characters at least")
    return key
