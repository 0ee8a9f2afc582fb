"""Signs the claims about a bundle, and verifies them: a JWS (RFC 7515) with Ed25519 (RFC 8037) and its own type.

Nothing in a JWS chooses how it is verified. The type, the algorithm and the members of its header are fixed, and each
key is an Ed25519 key. So there is no other algorithm that a forged header could ask for.
"""

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any, Final

import jwt
import msgspec

from ..errors import UNREADABLE, BadSignature, UnknownKey
from ..manifest import Count, Digest, Environment
from ..wording import quoted
from .keys import PublicKeys, SigningKey

TYPE: Final = "writ-bundle+jws"
"""The `typ` of the header. A JWS with another type, such as an access token, is no signature of a bundle."""

ALGORITHM: Final = "EdDSA"

_JWS: Final = jwt.PyJWS(algorithms=[ALGORITHM])


class Claims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a signature says of a bundle.

    `digest` is the SHA-256 of every byte before the signature section. `environment`, `epoch` and `revision` are those
    of the manifest. `issued` and `expires` are in epoch seconds.
    """

    digest: Digest
    environment: Environment | None
    epoch: Count
    revision: Count
    issued: Count = msgspec.field(name="iat")
    expires: Count = msgspec.field(name="exp")


def sign_claims(claims: Claims, key: SigningKey) -> bytes:
    """Returns the JWS of claims, in its compact form. The same claims and key give the same bytes."""
    headers = {"kid": key.id, "typ": TYPE}
    return _JWS.encode(msgspec.json.encode(claims), key.private, ALGORITHM, headers).encode("ascii")


def verify_claims(token: bytes, keys: PublicKeys) -> tuple[str, Claims]:
    """Returns the claims that one of the `keys` signed, with the id of that key.

    Raises UnknownKey, and BadSignature for anything else but a JWS that `sign_claims` makes.
    """
    id, claims = unverified_claims(token)
    if id not in keys:
        raise UnknownKey(f"the bundle is signed with the key {quoted(id)}, which is not one of the given keys")
    try:
        _JWS.decode_complete(token, keys[id], [ALGORITHM])
    except (jwt.PyJWTError, *UNREADABLE):
        raise BadSignature(f"the signature of the bundle was not made with the key {quoted(id)}") from None
    return id, claims


def unverified_claims(token: bytes) -> tuple[str, Claims]:
    """Returns the claims of a signature, and the id of the key that it names. Anyone may have written them.

    Raises BadSignature for anything else but the form that `sign_claims` writes.
    """
    try:
        found = _JWS.decode_complete(token, options={"verify_signature": False})
    except (jwt.PyJWTError, *UNREADABLE):
        raise BadSignature("the signature of the bundle is damaged: it is no JWS") from None
    header, payload = found["header"], found["payload"]
    id = _key_id(header)
    try:
        claims = msgspec.json.decode(payload, type=Claims)
    except (msgspec.MsgspecError, *UNREADABLE):
        raise BadSignature("the signature of the bundle is damaged: its claims can't be read") from None
    # The one form refuses repeated members, spaces and loose base64, which readers of JSON may take in different ways.
    if _compact(_header(id), msgspec.json.encode(claims), found["signature"]) != token:
        raise BadSignature("the signature of the bundle is not in the form that Writ writes")
    return id, claims


def _key_id(header: Mapping[str, Any]) -> str:
    """Returns the `kid` of a header. Raises BadSignature if any other member is not as in `sign_claims`."""
    if header.get("typ") != TYPE:
        raise BadSignature(f"the signature is not that of a bundle: its type is not {quoted(TYPE)}")
    if header.get("alg") != ALGORITHM:
        raise BadSignature(f"the signature of the bundle has another algorithm than {quoted(ALGORITHM)}")
    if header.keys() != {"alg", "kid", "typ"} or not isinstance(header["kid"], str):
        raise BadSignature("the signature of the bundle has other members in its header than `alg`, `kid` and `typ`")
    return str(header["kid"])


def _header(id: str) -> bytes:
    return json.dumps({"alg": ALGORITHM, "kid": id, "typ": TYPE}, separators=(",", ":")).encode()


def _compact(*parts: bytes) -> bytes:
    return b".".join(urlsafe_b64encode(part).rstrip(b"=") for part in parts)
