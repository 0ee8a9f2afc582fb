"""Verifies access tokens without a store: by a signed list of callers, which an agent gets from the service."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

import jwt

from ....bundles.feed.callers import Callers, name_of
from ...settings.settings import ALGORITHMS
from ...store.actor import CLIENT_PREFIX
from ..credential import Credential, Scope
from .token_claims import LONGEST_TOKEN, SIGNED_CLAIMS, TYPE, TokenClaims, claims_of, header_of

MOST_VERIFIED: Final = 65_536
"""Verified tokens that a worker remembers. Above the limit, it forgets the oldest."""


class UpstreamTokens:
    """Callers by access tokens that the upstream issued, and that its list of callers admits (see `Verifier`)."""

    def __init__(self, callers: Callable[[], Callers | None], clock: Callable[[], float]) -> None:
        """`clock` gives epoch seconds."""
        self._callers, self._clock = callers, clock
        self._seen: Callers | None = None
        self._admitted = _Admitted(None)
        self._verified: OrderedDict[bytes, TokenClaims] = OrderedDict()

    def credential(self, token: bytes) -> Credential | None:
        """See `Verifier`. The token counts for this environment, and as long as its client and itself are admitted."""
        callers = self._callers()
        if callers is None:
            return None
        if callers is not self._seen:
            self._follow(callers)
        claims = self._claims(token)
        if claims is None or not claims.since <= self._clock() < claims.expires:
            return None
        admitted = self._admitted
        outside = claims.bounds is not None and callers.environment.uuid not in claims.bounds
        if outside or name_of(claims.client) not in admitted.clients or claims.id in admitted.revoked:
            return None
        scope = min(claims.scope, Scope.READ)
        return Credential(
            scope, f"{CLIENT_PREFIX}{claims.client}", claims.bounds, claims.expires, claims.id, claims.since
        )

    def was_issued(self, token: bytes) -> bool:
        """See `Verifier`. A right signature is enough."""
        return self._signed(token) is not None

    def _follow(self, callers: Callers) -> None:
        """Takes up a new list. Verified tokens stay, if the keys are the same."""
        if self._seen is None or (callers.keys, callers.issuer) != (self._seen.keys, self._seen.issuer):
            self._verified.clear()
        self._admitted, self._seen = _Admitted(callers), callers

    def _claims(self, token: bytes) -> TokenClaims | None:
        """PERF: a signature is verified once."""
        digest = hashlib.sha256(token).digest()
        found = self._verified.get(digest)
        if found is None:
            signed = self._signed(token)
            found = None if signed is None else claims_of(signed, self._clock())
            if found is not None:
                if len(self._verified) >= MOST_VERIFIED:
                    self._verified.popitem(last=False)
                self._verified[digest] = found
        return found

    def _signed(self, token: bytes) -> dict[str, object] | None:
        """Returns the claims of a token with a right signature, issuer and audience, or None."""
        text = token.decode("latin-1")
        header = header_of(text) if len(text) <= LONGEST_TOKEN else None
        if header is None or header.typ != TYPE or self._seen is None:
            return None
        key = self._admitted.keys.get(header.kid)
        if key is None or header.alg != key.algorithm_name:
            return None
        issuer, audience = self._seen.issuer, self._seen.audience
        try:
            return jwt.decode(
                text, key.key, algorithms=[header.alg], audience=audience, issuer=issuer, options=SIGNED_CLAIMS
            )
        except (jwt.PyJWTError, ValueError, RecursionError):
            return None


class _Admitted:
    """A list of callers, prepared for look-ups."""

    def __init__(self, callers: Callers | None) -> None:
        self.clients = frozenset(callers.clients if callers else ())
        self.revoked = frozenset(callers.revoked if callers else ())
        self.keys = _keys(callers) if callers else {}


def _keys(callers: Callers) -> dict[str, jwt.PyJWK]:
    """Returns the keys of tokens by id. A key that can't be read verifies nothing."""
    found: dict[str, jwt.PyJWK] = {}
    for key in callers.keys.get("keys", ()):
        try:
            read = jwt.PyJWK.from_dict(key)
        except (jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError):
            continue
        if read.key_id is not None and read.algorithm_name in ALGORITHMS:
            found[read.key_id] = read
    return found
