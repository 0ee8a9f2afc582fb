"""Secrets that the service makes: 256 random bits behind a prefix by which scanners know them, and a checksum.

A scanner of source code tells a leaked one from a look-alike without asking anybody, as with the tokens of GitHub.
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
    """A secret that nobody can guess, and its SHA-256, which alone is kept."""
    text = prefix + _base62(int.from_bytes(secrets.token_bytes(_RANDOM_BYTES)), _RANDOM_DIGITS)
    text += _checksum(text)
    return text, digest_of(text)


def is_made(text: str, prefix: str) -> bool:
    """Whether a secret of that prefix was made here, or by somebody who knows how: its checksum is right.

    >>> is_made(new_secret(API_KEY)[0], API_KEY), is_made(API_KEY + "0" * 49, API_KEY)
    (True, False)
    """
    body, check = text[:-_CHECK_DIGITS], text[-_CHECK_DIGITS:]
    return text.startswith(prefix) and len(body) == len(prefix) + _RANDOM_DIGITS and check == _checksum(body)


def digest_of(text: str) -> bytes:
    """The SHA-256 of a secret: a slow hash is for weak ones, and would let anybody buy time of the service's CPU."""
    return hashlib.sha256(text.encode()).digest()


def _checksum(text: str) -> str:
    return _base62(zlib.crc32(text.encode()), _CHECK_DIGITS)


def _base62(number: int, digits: int) -> str:
    found = []
    for _ in range(digits):
        number, digit = divmod(number, len(_DIGITS))
        found.append(_DIGITS[digit])
    return "".join(reversed(found))
