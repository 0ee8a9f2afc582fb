"""The format of generated secrets: a prefix, 256 random bits and a checksum.

Prefix and checksum let a scanner of source code recognise a leaked secret without asking the service.
"""

import hashlib
import secrets
import string
import zlib
from typing import Final

API_KEY: Final = "writ_sk_"
CLIENT_SECRET: Final = "writ_cs_"  # noqa: S105 - what such a secret begins with

_DIGITS: Final = string.digits + string.ascii_uppercase + string.ascii_lowercase
_RANDOM_BYTES: Final = 32
_RANDOM_DIGITS: Final = 43  # 62**43 > 2**256
_CHECK_DIGITS: Final = 6  # 62**6 > 2**32


def new_secret(prefix: str) -> tuple[str, bytes]:
    """Returns a new random secret and its SHA-256. Only the SHA-256 is stored."""
    text = prefix + _base62(int.from_bytes(secrets.token_bytes(_RANDOM_BYTES)), _RANDOM_DIGITS)
    text += _checksum(text)
    return text, digest_of(text)


def is_well_formed(text: str, prefix: str) -> bool:
    """Returns whether a text has the format of a secret with that prefix, the right checksum included.

    >>> is_well_formed(new_secret(API_KEY)[0], API_KEY), is_well_formed(API_KEY + "0" * 49, API_KEY)
    (True, False)
    """
    body, check = text[:-_CHECK_DIGITS], text[-_CHECK_DIGITS:]
    return text.startswith(prefix) and len(body) == len(prefix) + _RANDOM_DIGITS and check == _checksum(body)


def digest_of(text: str) -> bytes:
    """Returns the SHA-256 of a secret. Random secrets need no slow hash, which would let callers occupy the CPU."""
    return hashlib.sha256(text.encode()).digest()


def _checksum(text: str) -> str:
    return _base62(zlib.crc32(text.encode()), _CHECK_DIGITS)


def _base62(number: int, digits: int) -> str:
    found = []
    for _ in range(digits):
        number, digit = divmod(number, len(_DIGITS))
        found.append(_DIGITS[digit])
    return "".join(reversed(found))
