"""Verifies users' tokens: JWTs (RFC 7519) of an issuer that the environment's settings name, strictly (RFC 8725)."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, Final

import jwt
from jwt.types import Options
from msgspec import Struct

from ....bundles.routing.settings import JwtSubject
from .key_sets import KeySet, KeySets, PublicKey

LONGEST_TOKEN: Final = 8_192
"""The characters of a token that is read."""

LEEWAY_SECONDS: Final = 30
"""The seconds by which the clocks of the issuer and of Writ may differ."""

MOST_TIME: Final = 2.0**53
"""The epoch seconds that a time of a token may have."""

MOST_VERIFIED: Final = 65_536
"""The verified tokens that a worker remembers."""

_ASYMMETRIC: Final = ("RS", "PS", "ES", "EdDSA")
_OPTIONS: Final[Options] = {
    "require": ["exp", "iss", "aud"],
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
}
"""Times are checked against our own clock."""


class BadToken(Exception):
    """A token is not accepted. The message is a part of a sentence."""


class Verified(Struct, frozen=True):
    """The claims of a token, the epoch seconds at which it expires, and the key that signed it, with its id."""

    claims: Mapping[str, Any]
    expires: float
    key: PublicKey
    key_id: str | None


class UserTokens:
    """Verifies tokens, and remembers those that were right until they expire. `clock` gives epoch seconds."""

    def __init__(
        self,
        key_sets: KeySets,
        own_issuer: Callable[[], str],
        clock: Callable[[], float],
        longest: int = LONGEST_TOKEN,
    ) -> None:
        """`own_issuer` is that of Writ's own tokens, which are never a user's. `longest` is in characters."""
        self._key_sets, self._own_issuer, self._clock, self._longest = key_sets, own_issuer, clock, longest
        self._verified: OrderedDict[tuple[object, ...], Verified] = OrderedDict()

    def claims(self, token: str, settings: JwtSubject) -> Mapping[str, Any]:
        """Returns the claims of a token. Raises BadToken, KeysAreComing.

        A token that was verified counts until it expires, or until its key is no longer in the key set as it was.
        """
        if len(token) > self._longest:
            raise BadToken("it is too long")
        if settings.issuer == self._own_issuer():
            raise BadToken("Writ's own tokens are no users' tokens")
        place = str(settings.jwks_file or settings.jwks_url)
        keys, digest = self._key_sets.of(place), hashlib.sha256(token.encode()).digest()
        known = digest, settings.issuer, settings.audience, settings.algorithms, place
        found = self._verified.get(known)
        if found is None or found.expires <= self._clock() or keys.key(found.key_id) is not found.key:
            found = self._verify(token, settings, keys)
            if len(self._verified) >= MOST_VERIFIED:
                self._verified.popitem(last=False)
            self._verified[known] = found
        return found.claims

    def _verify(self, token: str, settings: JwtSubject, keys: KeySet) -> Verified:
        key, key_id, algorithm = _key(token, settings, keys)
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key.public,
                algorithms=[algorithm],
                audience=settings.audience,
                issuer=settings.issuer,
                options=_OPTIONS,
            )
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
            raise BadToken("its signature, its issuer or its audience is not accepted") from None
        return Verified(claims, self._expiry(claims), key, key_id)

    def _expiry(self, claims: Mapping[str, Any]) -> float:
        """Returns when a token expires. Raises BadToken if it has expired, or is not valid yet.

        Our own clock, and our own reading of times: PyJWT reads the system's.
        """
        now = self._clock()
        expires = _time(claims, "exp", 0.0) + LEEWAY_SECONDS
        if not now < expires:
            raise BadToken("it has expired")
        if max(_time(claims, "nbf", now), _time(claims, "iat", now)) > now + LEEWAY_SECONDS:
            raise BadToken("it is not valid yet")
        return expires


def _key(token: str, settings: JwtSubject, keys: KeySet) -> tuple[PublicKey, str | None, str]:
    """Returns the key that must have signed a token, its id, and by which algorithm."""
    try:
        header = jwt.get_unverified_header(token)
    except (jwt.PyJWTError, ValueError, RecursionError):
        raise BadToken("it is no JWT") from None
    algorithm, id = str(header.get("alg")), header.get("kid")
    if algorithm not in settings.algorithms or not algorithm.startswith(_ASYMMETRIC):
        raise BadToken("its algorithm is not accepted")
    key = keys.key(id)
    if key is None:
        raise BadToken("its key is not known")
    if not _fits(key, algorithm):
        raise BadToken("its key is for another algorithm")
    return key, id, algorithm


def _time(claims: Mapping[str, Any], name: str, default: float) -> float:
    value = claims.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not -MOST_TIME < value < MOST_TIME:
        raise BadToken(f"its `{name}` is no time")
    return float(value)


def _fits(key: PublicKey, algorithm: str) -> bool:
    """Returns whether a key may sign by an algorithm. An RSA key that names none may sign by several."""
    if key.key_type == "RSA" and not key.names_algorithm:
        return algorithm.startswith(("RS", "PS"))
    return key.algorithm == algorithm
