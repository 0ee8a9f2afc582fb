"""Checks an ID token as OpenID Connect Core 3.1.3.7 says, and reads its person."""

import hmac
from collections.abc import Mapping
from typing import Any, Final

from ....bundles.conditions.values import is_text
from ....bundles.routing.settings import JwtSubject
from ...store.sign_ins.session_rows import Person
from ..issuers.user_tokens import LEEWAY_SECONDS, BadToken
from .flows import SIGN_IN_SECONDS
from .provider import ProviderMetadata

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""The algorithms that are accepted. All are asymmetric."""

LONGEST_ID_TOKEN: Final = 65_536
"""The characters of an ID token. It may name hundreds of groups, and stands in no header."""

LONGEST_SUBJECT: Final = 255
"""The characters of a subject (OpenID Connect Core, 2)."""

LONGEST_NAME: Final = 256
"""The characters of a name that are kept."""

_NAMES: Final = ("name", "preferred_username", "email", "sub")
"""The claims with a name to show, the best first."""


def expected_token(metadata: ProviderMetadata, client_id: str) -> JwtSubject:
    """Returns what an ID token must be: of this issuer, for this client, signed with a key of the provider."""
    return JwtSubject(metadata.issuer, client_id, ALGORITHMS, jwks_url=metadata.jwks_uri)


def check_id_token(claims: Mapping[str, Any], client_id: str, nonce: str, now: float) -> None:
    """Checks what `UserTokens` does not: the only audience, the client, the nonce and the time of issue.

    Raises BadToken.
    """
    audience = claims.get("aud")
    if audience not in (client_id, [client_id]):
        raise BadToken("it is for other clients too")
    if claims.get("azp", client_id) != client_id:
        raise BadToken("it was issued to another client")
    sent = claims.get("nonce")
    if not isinstance(sent, str) or not hmac.compare_digest(sent.encode("utf-8", "replace"), nonce.encode()):
        raise BadToken("its nonce is not that of this sign-in")
    issued = claims.get("iat")
    if isinstance(issued, bool) or not isinstance(issued, int | float):
        raise BadToken("its `iat` is missing")
    if issued < now - SIGN_IN_SECONDS - LEEWAY_SECONDS:
        raise BadToken("it is too old")


def person_of(claims: Mapping[str, Any]) -> Person:
    """Returns the person of an ID token. Raises BadToken if its subject can't be one."""
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT or not subject.isascii():
        raise BadToken("its subject can't be used")
    named = (claims.get(name) for name in _NAMES)
    name = next(one.strip() for one in named if isinstance(one, str) and is_text(one) and one.strip())
    return Person(str(claims["iss"]), subject, name[:LONGEST_NAME])
