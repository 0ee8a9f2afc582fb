"""Signing keys: read from PEM, generated, and shown as JSON Web Keys. The kind of a key decides its algorithm."""

import hashlib
import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

PrivateKey: TypeAlias = ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey
PublicKey: TypeAlias = ed25519.Ed25519PublicKey | ec.EllipticCurvePublicKey | rsa.RSAPublicKey

SHORTEST_RSA: Final = 2_048
"""Bits (RFC 7518, 3.3)."""

_MADE_RSA: Final = 3_072
_EXPONENT: Final = 65_537

MAKERS: Final[Mapping[str, Callable[[], PrivateKey]]] = {
    "EdDSA": ed25519.Ed25519PrivateKey.generate,
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "RS256": lambda: rsa.generate_private_key(_EXPONENT, _MADE_RSA),
}
"""The function that generates a key, by algorithm (see `settings.ALGORITHMS`)."""


class UnusableSigningKey(Exception):
    """A key can't be read or used; the message is one sentence, with nothing of the key in it."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key that verifies, and signs if it has a `private` half. `id` is its thumbprint (RFC 7638)."""

    id: str
    algorithm: str
    public: PublicKey
    private: PrivateKey | None = None

    def jwk(self) -> dict[str, Any]:
        """Returns the public key as a JSON Web Key."""
        return _jwk(self.public) | {"kid": self.id, "alg": self.algorithm, "use": "sig"}

    def public_pem(self) -> bytes:
        """Returns the public key as PEM."""
        return self.public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


class Pem(NamedTuple):
    """The PEM of a key: its place in words, its text, and the error if the text could not be read."""

    place: str
    text: bytes
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys that were read: those that verify, by id, and the one that signs or the reason why there is none."""

    verifying: Mapping[str, Key]
    signing: Key | UnusableSigningKey

    def signer(self) -> tuple[Key, PrivateKey]:
        """Returns the key that signs, and its private half. Raises UnusableSigningKey."""
        key = self.signing
        if isinstance(key, UnusableSigningKey):
            raise UnusableSigningKey(*key.args)
        if key.private is None:
            raise UnusableSigningKey("the newest key is a public one, and can't sign; make a new key")
        return key, key.private


def new_key(algorithm: str) -> tuple[Key, bytes]:
    """Generates a key for an algorithm, and returns it with its PEM (PKCS#8)."""
    private = MAKERS[algorithm]()
    pem = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return _key(private.public_key(), private, "a new key"), pem


def read_key(pem: bytes, place: str) -> Key:
    """Returns the key of a PEM, private or public. Errors name it by its `place`.

    Raises:
        UnusableSigningKey: the text is no PEM of a key, is encrypted, or is of a kind that no algorithm here uses.
    """
    try:
        if b"PUBLIC KEY" in pem:
            return _key(serialization.load_pem_public_key(pem), None, place)
        private = serialization.load_pem_private_key(pem, password=None)
        return _key(private.public_key(), private, place)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise UnusableSigningKey(f"{place} is no PEM of a key without a passphrase") from None


def read_keys(pems: Sequence[Pem]) -> tuple[Keys, list[UnusableSigningKey]]:
    """Returns the keys of at least one PEM, and the errors of those that can't be used. Only the first may sign."""
    found = [_key_or_error(pem) for pem in pems]
    keys = Keys({key.id: key for key in found if isinstance(key, Key)}, found[0])
    return keys, [error for error in found if isinstance(error, UnusableSigningKey)]


def _key_or_error(pem: Pem) -> Key | UnusableSigningKey:
    if pem.error is not None:
        return UnusableSigningKey(f"{pem.place} can't be read: {pem.error}")
    try:
        return read_key(pem.text, pem.place)
    except UnusableSigningKey as ex:
        return ex


def _key(public: object, private: object, place: str) -> Key:
    match public:
        case ed25519.Ed25519PublicKey():
            algorithm = "EdDSA"
        case ec.EllipticCurvePublicKey(curve=ec.SECP256R1()):
            algorithm = "ES256"
        case rsa.RSAPublicKey(key_size=size) if size >= SHORTEST_RSA:
            algorithm = "RS256"
        case _:
            kinds = f"Ed25519, P-256, or RSA of {SHORTEST_RSA} bits at least"
            raise UnusableSigningKey(f"{place} is of a kind that can't sign tokens; take {kinds}")
    return Key(_thumbprint(public), algorithm, public, private)  # type: ignore[arg-type]  # the kind of the public one


def _jwk(public: PublicKey) -> dict[str, Any]:
    match public:
        case ed25519.Ed25519PublicKey():
            return OKPAlgorithm.to_jwk(public, as_dict=True)
        case ec.EllipticCurvePublicKey():
            return ECAlgorithm.to_jwk(public, as_dict=True)
    found = RSAAlgorithm.to_jwk(public, as_dict=True)
    return {name: found[name] for name in ("kty", "n", "e")}


def _thumbprint(public: PublicKey) -> str:
    members = {name: value for name, value in _jwk(public).items() if name in ("crv", "e", "kty", "n", "x", "y")}
    text = json.dumps(members, sort_keys=True, separators=(",", ":"))
    return urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
