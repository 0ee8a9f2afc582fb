"""Signs and verifies a JWS (RFC 7515) with Ed25519 (RFC 8037), each kind with its own type.

Nothing in a JWS chooses how it is verified. The type, the algorithm and the members of its header are fixed, and each
key is an Ed25519 key. So there is no other algorithm that a forged header could ask for.
"""

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import jwt
import msgspec

from ..errors import UNREADABLE, BadSignature, UnknownKey
from ..formats import check_format
from ..prepared import prepared
from ..wording import quoted
from .pem_keys import PublicKeys, SigningKey

ALGORITHM: Final = "EdDSA"


class _Stated(msgspec.Struct, frozen=True):
    """The one claim that is the same in every format."""

    format: int


_stated_format: Final = msgspec.json.Decoder(_Stated).decode
_JWS: Final = jwt.PyJWS(algorithms=[ALGORITHM])
_Claims = TypeVar("_Claims", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class JwsKind(Generic[_Claims]):
    """A kind of JWS: the `typ` of its header, the type of its claims, and what it signs, for messages.

    `format` is its newest format, which the claim `format` states, or None if its claims have no format.
    """

    typ: str
    claims: type[_Claims]
    signed: str
    format: int | None = None

    def __post_init__(self) -> None:
        prepared(self.claims)

    def sign(self, claims: _Claims, key: SigningKey) -> bytes:
        """Returns the JWS of claims, in its compact form. The same claims and key give the same bytes."""
        headers = {"kid": key.id, "typ": self.typ}
        return _JWS.encode(msgspec.json.encode(claims), key.private, ALGORITHM, headers).encode("ascii")

    def verify(self, token: bytes, keys: PublicKeys) -> tuple[str, _Claims]:
        """Returns the claims that one of the `keys` signed, with the id of that key.

        Raises UnknownKey, BadSignature for anything else but a JWS that `sign` makes, and BundleError for a newer one.
        """
        id, claims = self.unverified(token)
        if id not in keys:
            raise UnknownKey(f"{self.signed} is signed with the key {quoted(id)}, which is not one of the given keys")
        try:
            _JWS.decode_complete(token, keys[id], [ALGORITHM])
        except (jwt.PyJWTError, *UNREADABLE):
            raise BadSignature(f"the signature of {self.signed} was not made with the key {quoted(id)}") from None
        return id, claims

    def unverified(self, token: bytes) -> tuple[str, _Claims]:
        """Returns the claims of a JWS, and the id of the key that it names. Anyone may have written them.

        Raises BadSignature for anything else but the form that `sign` writes, and BundleError for a newer format.
        """
        try:
            found = _JWS.decode_complete(token, options={"verify_signature": False})
        except (jwt.PyJWTError, *UNREADABLE):
            raise BadSignature(f"the signature of {self.signed} is damaged: it is no JWS") from None
        header, payload = found["header"], found["payload"]
        id = self._key_id(header)
        try:
            if self.format is not None:
                check_format(self.signed, _stated_format(payload).format, self.format)
            claims = msgspec.json.decode(payload, type=self.claims)
        except (msgspec.MsgspecError, *UNREADABLE):
            raise BadSignature(f"the signature of {self.signed} is damaged: its claims can't be read") from None
        # The one form refuses repeated members, spaces and loose base64, which readers of JSON may take in different
        # ways.
        if _compact(self._header(id), msgspec.json.encode(claims), found["signature"]) != token:
            raise BadSignature(f"the signature of {self.signed} is not in the form that Writ writes")
        return id, claims

    def _key_id(self, header: Mapping[str, Any]) -> str:
        """Returns the `kid` of a header. Raises BadSignature if any other member is not as in `sign`."""
        signature = f"the signature of {self.signed}"
        if header.get("typ") != self.typ:
            raise BadSignature(f"the signature is not that of {self.signed}: its type is not {quoted(self.typ)}")
        if header.get("alg") != ALGORITHM:
            raise BadSignature(f"{signature} has another algorithm than {quoted(ALGORITHM)}")
        if header.keys() != {"alg", "kid", "typ"} or not isinstance(header["kid"], str):
            raise BadSignature(f"{signature} has other members in its header than `alg`, `kid` and `typ`")
        return str(header["kid"])

    def _header(self, id: str) -> bytes:
        return json.dumps({"alg": ALGORITHM, "kid": id, "typ": self.typ}, separators=(",", ":")).encode()


def _compact(*parts: bytes) -> bytes:
    return b".".join(urlsafe_b64encode(part).rstrip(b"=") for part in parts)
