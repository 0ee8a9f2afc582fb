"""The keys of bundles, read from PEM: Ed25519 keys (RFC 8032), private ones that sign and public ones that verify."""

import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from jwt.algorithms import OKPAlgorithm

from ..errors import UNREADABLE, Error

Pem: TypeAlias = str | bytes
"""The text of one or more PEM blocks (RFC 7468), not a path. Text around the blocks is ignored."""

Pems: TypeAlias = Pem | Iterable[Pem]

PublicKeys: TypeAlias = Mapping[str, Ed25519PublicKey]
"""Keys that verify, by their ids."""

_BLOCK: Final = re.compile(rb"-----BEGIN ([A-Z0-9 ]+)-----.+?-----END \1-----", re.DOTALL)
_PRIVATE, _PUBLIC, _ENCRYPTED = b"PRIVATE KEY", b"PUBLIC KEY", b"ENCRYPTED"
_REMEDY: Final = "make an Ed25519 key by `writ keys rotate --kind bundle`, or by `openssl genpkey -algorithm ed25519`"


class UnusableBundleKey(Error, ValueError):
    """A key can't sign bundles, or can't verify them. The message is one sentence, with nothing of the key in it."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key that signs bundles. `id` is the thumbprint of its public half (RFC 7638)."""

    id: str
    private: Ed25519PrivateKey = field(repr=False)

    def pem(self) -> bytes:
        """Returns the private key as PEM (PKCS#8), which is a secret."""
        return self.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def read_signing_key(pem: Pem) -> SigningKey:
    """Returns the first private key of a PEM (PKCS#8, without a passphrase).

    Raises UnusableBundleKey if there is none, or if it is not an Ed25519 key.
    """
    blocks = _blocks(pem)
    private = [(label, block) for label, block in blocks if label.endswith(_PRIVATE)]
    if not private:
        is_public = any(label == _PUBLIC for label, _ in blocks)
        what = "this is a public key, which can't sign" if is_public else "this is no PEM of a private key"
        raise UnusableBundleKey(f"{what}; {_REMEDY}")
    label, block = private[0]
    if label.startswith(_ENCRYPTED) or b"," + _ENCRYPTED in block:  # PKCS#8, or the older form of OpenSSL
        raise UnusableBundleKey("the key is encrypted; give one without a passphrase")
    key = _loaded(load_pem_private_key, block, None)
    if not isinstance(key, Ed25519PrivateKey):
        raise UnusableBundleKey(f"the key is not an Ed25519 key; {_REMEDY}")
    return signing_key(key)


def signing_key(private: Ed25519PrivateKey) -> SigningKey:
    """Returns a private key with its id."""
    return SigningKey(_thumbprint(private.public_key()), private)


def read_public_keys(pems: Pems) -> PublicKeys:
    """Returns the Ed25519 keys of one or more PEMs, each of which may have several blocks.

    Raises UnusableBundleKey if there is none, or if a block is anything else.
    """
    blocks = [block for pem in ([pems] if isinstance(pems, str | bytes) else pems) for block in _public_blocks(pem)]
    if not blocks:
        raise UnusableBundleKey("a public key is missing: without one, no bundle can be verified")
    keys = [_loaded(load_pem_public_key, block) for block in blocks]
    verifying = [key for key in keys if isinstance(key, Ed25519PublicKey)]
    if len(verifying) != len(keys):
        raise UnusableBundleKey("the key is not an Ed25519 key, so it can't have signed a bundle")
    return {_thumbprint(key): key for key in verifying}


def _blocks(pem: Pem) -> list[tuple[bytes, bytes]]:
    """Returns the blocks of a PEM, each with its label."""
    text = pem.encode("utf-8", "surrogateescape") if isinstance(pem, str) else pem
    return [(found[1], found[0]) for found in _BLOCK.finditer(text)]


def _public_blocks(pem: Pem) -> list[bytes]:
    blocks = _blocks(pem)
    if not blocks:
        raise UnusableBundleKey("this is no PEM of a public key; give its text")
    if any(label.endswith(_PRIVATE) for label, _ in blocks):
        raise UnusableBundleKey("this is a private key; give its public half, and keep the private key secret")
    if any(label != _PUBLIC for label, _ in blocks):
        raise UnusableBundleKey("this is no PEM of a public key")
    return [block for _, block in blocks]


def _loaded(load: Any, *arguments: object) -> object:
    try:
        return load(*arguments)
    except (UnsupportedAlgorithm, *UNREADABLE):
        raise UnusableBundleKey("the PEM of the key is damaged") from None


def _thumbprint(public: Ed25519PublicKey) -> str:
    """Returns the thumbprint of a key, its id (RFC 7638, RFC 8037)."""
    jwk = OKPAlgorithm.to_jwk(public, as_dict=True)
    text = json.dumps({name: jwk[name] for name in ("crv", "kty", "x")}, separators=(",", ":"))
    return urlsafe_b64encode(sha256(text.encode()).digest()).rstrip(b"=").decode()
