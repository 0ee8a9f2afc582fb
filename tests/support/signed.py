"""Signed bundles for tests, and files with a signature section that Writ would not write."""

import json
import struct
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from writ.bundles.file.header import HEADER, TABLE_ROW, Extent, SectionTable, decode_header, encode_header, header_size
from writ.bundles.file.sections import SIGNATURE
from writ.bundles.manifest import Environment
from writ.bundles.signing.pem_keys import SigningKey, signing_key
from writ.bundles.signing.sign import sign

from tests.support.bundling import Document, compiled

PROD: Final = Environment("prod", "11111111-2222-3333-4444-555555555555")
STAGING: Final = Environment("staging", "99999999-2222-3333-4444-555555555555")
ISSUED: Final = 1_800_000_000
LIFETIME: Final = 1_000
NOW: Final = ISSUED + 10.0


def key_of(seed: int) -> SigningKey:
    """The key with this seed, always the same one."""
    return signing_key(Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32))


KEY: Final = key_of(1)
OTHER_KEY: Final = key_of(2)


def public_pem(key: SigningKey) -> bytes:
    """The public half of a key as PEM."""
    return key.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def write_bundle(
    document: Document, path: Path, environment: Environment | None = PROD, epoch: int = 1, revision: int = 7
) -> Path:
    """A bundle without a signature, with these members of its manifest."""
    made = compiled(document)
    manifest = msgspec.structs.replace(made.manifest, environment=environment, epoch=epoch, revision=revision)
    with path.open("w+b") as file:
        replace(made, manifest=manifest).write(file)
    return path


def sign_file(path: Path, key: SigningKey = KEY, issued: int = ISSUED, lifetime: int = LIFETIME) -> Path:
    """The bundle at `path`, signed in place."""
    with path.open("r+b") as file:
        sign(file, key, issued, lifetime)
    return path


def sections(content: bytes) -> SectionTable:
    """The section table of a bundle."""
    return decode_header(content, len(content))


def token_in(content: bytes) -> bytes:
    """The JWS in a signed bundle."""
    return content[sections(content)[SIGNATURE].offset : -4]


def with_section(content: bytes, section: bytes) -> bytes:
    """A signed bundle with another signature section, and a header that fits it."""
    table = sections(content)
    start = table[SIGNATURE].offset
    found = {**table, SIGNATURE: Extent(start, len(section), zlib.crc32(section))}
    header = encode_header(found, start + len(section))
    return header + content[len(header) : start] + section


def with_token(content: bytes, token: bytes) -> bytes:
    """A signed bundle with another JWS, and right checksums."""
    return with_section(content, token + zlib.crc32(token).to_bytes(4, "little"))


def with_right_checksums(changed: bytes, table: SectionTable) -> bytes:
    """A changed bundle whose header and sections, at the places of `table`, have right checksums again."""
    data = bytearray(changed)
    for number, extent in enumerate(table.values()):
        checksum = zlib.crc32(data[extent.offset : extent.offset + extent.size])
        struct.pack_into("<I", data, HEADER.size + TABLE_ROW.size * number + 40, checksum)
    struct.pack_into("<I", data, 24, 0)
    struct.pack_into("<I", data, 24, zlib.crc32(data[: header_size(len(table))]))
    return bytes(data)


def encoded(value: Any) -> bytes:
    """A part of a JWS: JSON in base64url."""
    text = value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode()
    return urlsafe_b64encode(text).rstrip(b"=")


def decoded(part: bytes) -> Any:
    """The JSON in a part of a JWS."""
    return json.loads(urlsafe_b64decode(part + b"=" * (-len(part) % 4)))


def forged(header: Any, claims: Any, key: SigningKey = KEY) -> bytes:
    """A JWS over any header and claims, with a right signature of `key`."""
    signed = encoded(header) + b"." + encoded(claims)
    return signed + b"." + encoded(key.private.sign(signed))
