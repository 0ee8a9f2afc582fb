"""The OpenAPI operations on access tokens."""

from typing import Final

from ...http.bodies import FORM
from ...http.openapi.operation import Answer, Operation, Parameter, Schema
from ...http.openapi.vocabulary import CACHE_CONTROL, RETRY_AFTER, WWW_AUTHENTICATE
from ...identity.credential_shapes import OAuthError, TokenAnswer
from .endpoints import WHY_HEADER

_TAG: Final = "Tokens"
_ERROR_DESCRIPTION: Final = Parameter(WHY_HEADER, "What is wrong, in words.")

_OAUTH: Final[Schema] = {
    "type": "object",
    "properties": {
        "grant_type": {"type": "string", "const": "client_credentials"},
        "client_id": {"type": "string", "description": "With HTTP Basic it may be left out."},
        "client_secret": {"type": "string", "description": "With HTTP Basic it must be left out."},
        "scope": {"type": "string", "description": "Some of the client's scopes, separated by spaces; all by default."},
    },
    "required": ["grant_type"],
}
_REVOKED: Final[Schema] = {
    "type": "object",
    "properties": {name: _OAUTH["properties"][name] for name in ("client_id", "client_secret")}
    | {"token": {"type": "string", "description": "An access token."}},
    "required": ["token"],
}


def _refusals() -> dict[int, Answer]:
    explained = (CACHE_CONTROL, _ERROR_DESCRIPTION)
    return {
        400: Answer("`invalid_request` and the other codes of RFC 6749, 5.2.", OAuthError, explained),
        401: Answer(
            "`invalid_client`: the id or the secret is wrong, or the client is revoked.",
            OAuthError,
            (*explained, WWW_AUTHENTICATE),
        ),
        429: Answer(
            "`invalid_client`, after too many wrong ones from this address.", OAuthError, (CACHE_CONTROL, RETRY_AFTER)
        ),
        500: Answer("`server_error`: the service failed.", OAuthError, (CACHE_CONTROL,)),
    }


ISSUE: Final = Operation(
    "issueToken",
    _TAG,
    "Exchange a client's id and secret for an access token",
    {200: Answer("The token.", TokenAnswer, (CACHE_CONTROL,)), **_refusals()},
    "The client sends its id and secret in the form, or by HTTP Basic.",
    bodies={FORM: _OAUTH},
)
REVOKE: Final = Operation(
    "revokeToken",
    _TAG,
    "End an access token (RFC 7009)",
    {200: Answer("The token is not valid any more.", {"type": "object"}, (CACHE_CONTROL,)), **_refusals()},
    "The client that owns the token sends its id and secret, as for a new token.",
    bodies={FORM: _REVOKED},
)
