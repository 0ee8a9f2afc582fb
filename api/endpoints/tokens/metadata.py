"""The metadata of the token endpoints (RFC 8414), and the keys that verify tokens (RFC 7517)."""

from typing import Final

import falcon.asgi

from ...http.bodies import ENCODER
from ...http.openapi.operation import Answer, Operation
from ...http.openapi.vocabulary import CACHE_CONTROL
from ...http.public_url import below
from ...identity.credential_shapes import SCOPES
from ...identity.keys.ring import KeyRing

CACHE: Final = "public, max-age=300"
"""The time for which clients may cache the answers.

For so long, other programs that verify tokens may miss a new key.
"""

_METHODS: Final = ("client_secret_basic", "client_secret_post")

_TAG: Final = "Tokens"

GET_KEYS: Final = Operation(
    "getTokenKeys",
    _TAG,
    "Read the keys that verify access tokens",
    {200: Answer("A JSON Web Key Set.", {"type": "object"}, (CACHE_CONTROL,))},
)
GET_METADATA: Final = Operation(
    "getTokenMetadata",
    _TAG,
    "Find out how to get a token (RFC 8414)",
    {200: Answer("The metadata.", {"type": "object"}, (CACHE_CONTROL,))},
)


class ServerMetadata:
    """`/.well-known/oauth-authorization-server`."""

    def __init__(self, public_url: str) -> None:
        """`public_url` is the issuer of the service's tokens."""
        self._text = ENCODER.encode(
            {
                "issuer": public_url,
                "token_endpoint": below(public_url, "/v1/oauth/token"),
                "revocation_endpoint": below(public_url, "/v1/oauth/revoke"),
                "jwks_uri": below(public_url, "/.well-known/jwks.json"),
                "scopes_supported": SCOPES,
                "response_types_supported": (),
                "grant_types_supported": ("client_credentials",),
                "token_endpoint_auth_methods_supported": _METHODS,
                "revocation_endpoint_auth_methods_supported": _METHODS,
            }
        )

    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200."""
        resp.set_header("Cache-Control", CACHE)
        resp.data = self._text


class PublishedKeySet:
    """`/.well-known/jwks.json`."""

    def __init__(self, ring: KeyRing) -> None:
        self._ring = ring

    async def on_get(self, _req: falcon.asgi.Request, resp: falcon.asgi.Response) -> None:
        """Answer 200 with the keys that verify tokens. If no key can be read now, the set is empty and not cached."""
        keys = [key.jwk() for key in self._ring.keys().verifying.values()]
        resp.set_header("Cache-Control", CACHE if keys else "no-store")
        resp.data = ENCODER.encode({"keys": keys})
