"""Page tokens: the position of the next page, signed and bound to its search (rule S4)."""

import base64
import binascii
import hmac
from hashlib import sha256
from typing import Final

import msgspec

from .....runtime import BadRequest
from .....runtime.requests.searches import OTHER_SEARCH

_MAC_BYTES: Final = 16
_PURPOSE: Final = b"writ page token 1"


class PagePosition(msgspec.Struct, frozen=True, array_like=True):
    """The position of a page: it starts after the item `after`. `limit` is that of the first request."""

    after: str
    limit: int | None


_decoder = msgspec.msgpack.Decoder(PagePosition)


class PageTokens:
    """Writes and reads page tokens. A token does not expire; it is valid as long as the key."""

    def __init__(self, secret: bytes) -> None:
        """`secret` are secret bytes that all workers share. The key of the tokens is derived from them."""
        self._key = hmac.digest(secret, _PURPOSE, "sha256")

    def write(self, position: PagePosition, search: bytes) -> str:
        """Returns the token of a position. `search` is the fingerprint of the search."""
        body = msgspec.msgpack.encode(position)
        return base64.urlsafe_b64encode(self._mac(body, search) + body).rstrip(b"=").decode()

    def read(self, token: str, search: bytes) -> PagePosition:
        """Returns the position in a token. Raises BadRequest if it is damaged, or of another search or key."""
        try:
            data = base64.b64decode(token.encode("ascii") + b"=" * (-len(token) % 4), b"-_", validate=True)
        except (binascii.Error, UnicodeEncodeError):
            raise BadRequest(OTHER_SEARCH, "$.page.token") from None
        mac, body = data[:_MAC_BYTES], data[_MAC_BYTES:]
        if not hmac.compare_digest(mac, self._mac(body, search)):
            raise BadRequest(OTHER_SEARCH, "$.page.token")
        return _decoder.decode(body)

    def _mac(self, body: bytes, search: bytes) -> bytes:
        return hmac.digest(self._key, search + body, "sha256")[:_MAC_BYTES]


def fingerprint(*parts: object) -> bytes:
    """Returns the 32 bytes that a token is bound to. The order of members in `parts` has no effect."""
    return sha256(msgspec.json.encode(parts, order="deterministic")).digest()
