"""Signs a complete bundle file: adds its last section, and a row for it to the section table."""

from hashlib import sha256
from os import SEEK_END
from typing import BinaryIO, Final

import msgspec

from ..file.header import ALIGNMENT, Extent, SectionTable, encode_header, header_size
from ..file.reader import Bundle, mapped
from ..file.sections import SIGNATURE
from .claims import Claims
from .pem_keys import SigningKey
from .section import CHECKSUM, Signature, encode_section

DAY: Final = 24 * 3600

DEFAULT_LIFETIME: Final = 30 * DAY
"""Time for which a signed bundle is accepted, in seconds, unless its signer says another."""

LONGEST_LIFETIME: Final = 366 * DAY
"""The longest time for which a bundle may be signed, in seconds."""

_UNKNOWN_DIGEST: Final = "0" * 64
_PIECE: Final = 2**20


def sign(file: BinaryIO, key: SigningKey, issued: int, lifetime: int = DEFAULT_LIFETIME) -> Signature:
    """Signs a complete bundle in place, and returns its signature. An old signature is replaced.

    `file` can be read, written and searched, and has no other user yet: see `publish`. `issued` is in epoch seconds,
    `lifetime` in seconds. Raises BundleError for a file that is not a bundle, and ValueError for times that can't be.
    """
    if issued < 0 or not 0 < lifetime <= LONGEST_LIFETIME:
        raise ValueError(f"a bundle is signed for 1 to {LONGEST_LIFETIME} seconds from a time after 1970")
    file.flush()
    bundle = Bundle(mapped(file))
    manifest = bundle.manifest
    claims = Claims(_UNKNOWN_DIGEST, manifest.environment, manifest.epoch, manifest.revision, issued, issued + lifetime)
    _make_room(file, bundle.sections, len(encode_section(claims, key)))
    file.flush()
    claims = msgspec.structs.replace(claims, digest=sha256(mapped(file)).hexdigest())
    file.seek(0, SEEK_END)
    file.write(encode_section(claims, key))
    file.flush()
    return Signature(key.id, claims)


def _make_room(file: BinaryIO, table: SectionTable, size: int) -> None:
    """Rewrites a bundle so that only the `size` bytes of its signature section are missing at its end."""
    others = {name: extent for name, extent in table.items() if name != SIGNATURE}
    first, last = next(iter(others.values())), next(reversed(others.values()))
    shift = header_size(len(others) + 1) - first.offset  # an older format has fewer sections
    end = last.offset + last.size
    file.truncate(end)
    _move(file, first.offset, end, shift)
    moved = {name: Extent(one.offset + shift, one.size, one.checksum) for name, one in others.items()}
    start = end + shift + -(end + shift) % ALIGNMENT
    file.seek(end + shift)
    file.write(bytes(start - end - shift))
    file.seek(0)
    file.write(encode_header({**moved, SIGNATURE: Extent(start, size, CHECKSUM)}, start + size))


def _move(file: BinaryIO, start: int, end: int, shift: int) -> None:
    """Moves the bytes from `start` to `end` towards the end of a file, the last ones first."""
    while shift and end > start:
        size = min(_PIECE, end - start)
        end -= size
        file.seek(end)
        piece = file.read(size)
        file.seek(end + shift)
        file.write(piece)
