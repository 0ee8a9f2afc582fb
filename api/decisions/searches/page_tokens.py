"""Page tokens: where the next page starts, signed and bound to the search that it belongs to (rule S4)."""

import base64
import binascii
import hmac
from hashlib import sha256
from typing import Final

import msgspec

from ....runtime import BadRequest

_MAC_BYTES: Final = 16
_PURPOSE: Final = b"writ page token 1"

WRONG: Final = "`token` is not one of this search; send the `next_token` of its last answer with the same request"


class PagePosition(msgspec.Struct, frozen=True, array_like=True):
    """Where the next page starts: behind the item of this id. `limit` is what the first request asked for."""

    after: str
    limit: int | None


_decoder = msgspec.msgpack.Decoder(PagePosition)


class PageTokens:
    """Makes and reads tokens. It carries no clock: a token is good as long as the key is."""

    def __init__(self, secret: bytes) -> None:
        """`secret` is any secret bytes that all workers share; the key for tokens is derived from it."""
        self._key = hmac.digest(secret, _PURPOSE, "sha256")

    def write(self, position: PagePosition, search: bytes) -> str:
        """The token of a position in a search, which is given by its fingerprint."""
        body = msgspec.msgpack.encode(position)
        return base64.urlsafe_b64encode(self._mac(body, search) + body).rstrip(b"=").decode()

    def read(self, token: str, search: bytes) -> PagePosition:
        """The inverse of `write`. Raises BadRequest for a token that is damaged, or of another search or key."""
        try:
            data = base64.b64decode(token.encode("ascii") + b"=" * (-len(token) % 4), b"-_", validate=True)
        except (binascii.Error, UnicodeEncodeError):
            raise BadRequest(WRONG, "$.page.token") from None
        mac, body = data[:_MAC_BYTES], data[_MAC_BYTES:]
        if not hmac.compare_digest(mac, self._mac(body, search)):
            raise BadRequest(WRONG, "$.page.token")
        return _decoder.decode(body)

    def _mac(self, body: bytes, search: bytes) -> bytes:
        return hmac.digest(self._key, search + body, "sha256")[:_MAC_BYTES]


def fingerprint(*parts: object) -> bytes:
    """What a token is bound to, in 32 bytes: who asks what where. Equal for equal parts, whatever their order."""
    return sha256(msgspec.json.encode(parts, order="deterministic")).digest()
