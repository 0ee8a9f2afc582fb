"""A sign-in under way: its state, its nonce and its verifier (RFC 7636), all made of one random seed.

The cookie has the seed and a tag. What is made of the seed needs the key of the servers too: the cookie alone gives
neither the verifier nor the nonce. So no server has to keep a sign-in, and any server can finish it.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

SIGN_IN_SECONDS: Final = 600
"""The seconds in which a person must have signed in."""

_SEED_BYTES: Final = 32
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class Flow:
    """A sign-in. `id` is stored when it is over, `expires` is in epoch seconds, and `cookie` the text of its cookie."""

    id: bytes
    state: str
    nonce: str
    verifier: str
    expires: int
    cookie: str

    @property
    def challenge(self) -> str:
        """The challenge of the verifier, by the method `S256`."""
        return _text(hashlib.sha256(self.verifier.encode()).digest())


class Flows:
    """Begins sign-ins, and recognises them again. `key` is that of all servers; `clock` gives epoch seconds."""

    def __init__(self, key: bytes, clock: Callable[[], float]) -> None:
        self._key, self._clock = key, clock

    def begin(self) -> Flow:
        """Returns a new sign-in."""
        return self._flow(secrets.token_bytes(_SEED_BYTES), int(self._clock()) + SIGN_IN_SECONDS)

    def of(self, cookie: str) -> Flow | None:
        """Returns the sign-in of a cookie, or None if the text is not ours, or too old."""
        seed, _, rest = cookie.partition(".")
        expires, _, _ = rest.partition(".")
        if len(cookie) > _LONGEST or not cookie.isascii() or not expires.isdigit():
            return None
        try:
            flow = self._flow(base64.urlsafe_b64decode(seed + "=" * (-len(seed) % 4)), int(expires))
        except ValueError:
            return None
        if not hmac.compare_digest(flow.cookie, cookie) or not self._clock() < flow.expires:
            return None
        return flow

    def _flow(self, seed: bytes, expires: int) -> Flow:
        whole = f"{_text(seed)}.{expires}"
        tag = self._made("cookie", whole.encode())
        state, nonce, verifier = (_text(self._made(name, seed)) for name in ("state", "nonce", "verifier"))
        return Flow(self._made("id", seed), state, nonce, verifier, expires, f"{whole}.{_text(tag)}")

    def _made(self, name: str, of: bytes) -> bytes:
        return hmac.digest(self._key, name.encode() + b"\0" + of, "sha256")


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
