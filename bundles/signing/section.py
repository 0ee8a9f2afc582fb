"""The signature section of a bundle file: its form, and what it says.

The section is a JWS, and then the CRC-32 of the JWS in 4 bytes. The CRC-32 of such a section is the same for every JWS.
So the header, which contains it, is known before the JWS is made, and the signature covers the header too.
"""

import zlib
from hashlib import sha256
from typing import Final, NamedTuple

from ..errors import BadSignature, BundleError, ChangedBundle, UnsignedBundle
from ..file.header import SectionTable, check_section
from ..file.reader import Bundle
from ..file.sections import SIGNATURE, Section, signature_extent
from ..manifest import decode_manifest
from .claims import BUNDLE, Claims
from .pem_keys import SigningKey

LONGEST_SIGNATURE: Final = 8 * 1024
"""The most bytes of a signature section. A longer one is refused before it is read."""

_CHECKSUM_SIZE: Final = 4
CHECKSUM: Final = zlib.crc32(zlib.crc32(b"").to_bytes(_CHECKSUM_SIZE, "little"))
"""The CRC-32 of every signature section."""


class Signature(NamedTuple):
    """The signature of a bundle: the id of its key, and what it says."""

    key: str
    claims: Claims


def encode_section(claims: Claims, key: SigningKey) -> bytes:
    """Returns the signature section. Its size is the same for every digest. Raises ValueError if it is too long."""
    token = BUNDLE.sign(claims, key)
    if len(token) + _CHECKSUM_SIZE > LONGEST_SIGNATURE:
        raise ValueError(f"the signature would have more than {LONGEST_SIGNATURE} bytes")
    return token + zlib.crc32(token).to_bytes(_CHECKSUM_SIZE, "little")


def unverified_signature(bundle: Bundle) -> Signature | None:
    """Returns what the signature of a bundle says, or None if the bundle has none. Anyone may have written it.

    Raises BundleError if the signature can't be read, or is not that of this file.
    """
    if SIGNATURE not in bundle.sections:
        return None
    with memoryview(bundle.data) as view:
        found = Signature(*BUNDLE.unverified(token_of(view, bundle.sections)))
        check_content(found.claims, view, bundle.sections)
    return found


def token_of(view: memoryview, table: SectionTable) -> bytes:
    """Returns the JWS of a signature section. Raises UnsignedBundle, BadSignature, BundleError."""
    extent = signature_extent(table)
    if extent is None:
        raise UnsignedBundle("the bundle has no signature")
    if not _CHECKSUM_SIZE < extent.size <= LONGEST_SIGNATURE:
        raise BadSignature(f"the signature of the bundle has {extent.size} bytes, not 5 to {LONGEST_SIGNATURE}")
    if extent.checksum != CHECKSUM:
        raise BadSignature("the signature of the bundle is damaged: its checksum does not match")
    check_section(view, SIGNATURE, extent)
    return bytes(view[extent.offset : extent.offset + extent.size - _CHECKSUM_SIZE])


def check_content(claims: Claims, view: memoryview, table: SectionTable) -> None:
    """Raises ChangedBundle if the claims are not about this file."""
    with view[: table[SIGNATURE].offset] as covered:
        if sha256(covered).hexdigest() != claims.digest:
            raise ChangedBundle("the bundle was changed after it was signed")
    extent = table.get(Section.MANIFEST)
    if extent is None:
        raise BundleError("the bundle is damaged: it has no section `manifest`")
    manifest = decode_manifest(bytes(view[extent.offset : extent.offset + extent.size]))
    said = (claims.environment, claims.epoch, claims.revision)
    if said != (manifest.environment, manifest.epoch, manifest.revision):
        raise ChangedBundle("the signature names another environment, epoch or revision than the bundle")
