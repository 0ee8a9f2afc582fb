"""What is said of the operations on clients, API keys and tokens."""

from collections.abc import Mapping
from typing import Final

from ..credentials.tokens.endpoints import WHY_HEADER
from ..credentials.tokens.forms import FORM
from ..http.bodies import JSON
from ..management.elements import MERGE_PATCH
from ..store.audit.events import Event
from .operation import Answer, Operation, Parameter, Schema, named, page_of
from .operations import PAGE

_CLIENTS, _KEYS, _TOKENS, _AUDIT = "Clients", "API keys", "Tokens", "Audit log"

_INSTANT: Final[Schema] = {"type": "string", "format": "date-time"}

_UNSTORED: Final = ("Cache-Control",)
_MADE: Final = ("Location", *_UNSTORED)

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
    refused, explained = named("OAuthError"), (*_UNSTORED, WHY_HEADER)
    return {
        400: Answer("`invalid_request` and the other codes of RFC 6749, 5.2.", refused, explained),
        401: Answer(
            "`invalid_client`: id or secret is wrong, or it is revoked.", refused, (*explained, "WWW-Authenticate")
        ),
        429: Answer("`invalid_client`, after too many others of this address.", refused, (*_UNSTORED, "Retry-After")),
        500: Answer("`server_error`: the service failed.", refused, _UNSTORED),
    }


CREDENTIAL_OPERATIONS: Final[Mapping[tuple[str, str], Operation]] = {
    ("/v1/clients", "GET"): Operation(
        "listClients",
        _CLIENTS,
        "List the clients by id",
        {200: Answer("A page.", page_of(named("ClientAnswer")))},
        query=PAGE,
    ),
    ("/v1/clients", "POST"): Operation(
        "createClient",
        _CLIENTS,
        "Make a client",
        {201: Answer("The client, and its secret for this once.", named("ClientWithSecret"), _MADE)},
        "Its scopes and environments are among those of whoever makes it: else 403.",
        bodies={JSON: named("NewClient")},
    ),
    ("/v1/clients/{client_id}", "GET"): Operation(
        "getClient", _CLIENTS, "Read a client", {200: Answer("The client.", named("ClientAnswer"))}
    ),
    ("/v1/clients/{client_id}", "PATCH"): Operation(
        "patchClient",
        _CLIENTS,
        "Change a client, and cut its live tokens down to what is left",
        {200: Answer("The client as it is now.", named("ClientAnswer"))},
        bodies={MERGE_PATCH: named("ClientPatch"), JSON: named("ClientPatch")},
        errors=(412,),
    ),
    ("/v1/clients/{client_id}", "DELETE"): Operation(
        "deleteClient",
        _CLIENTS,
        "Delete a client, and end its tokens",
        {204: Answer("It is gone.")},
        errors=(412,),
    ),
    ("/v1/clients/{client_id}/secret", "POST"): Operation(
        "renewClientSecret",
        _CLIENTS,
        "Give a client another secret",
        {200: Answer("The client, and its new secret for this once.", named("ClientWithSecret"), _UNSTORED)},
        "The old secret is refused at once; live tokens stay valid. A revoked client gets none: 409.",
        errors=(409,),
    ),
    ("/v1/clients/{client_id}/revoke", "POST"): Operation(
        "revokeClient",
        _CLIENTS,
        "Refuse a client and its tokens from now on",
        {204: Answer("It is revoked, for good.")},
    ),
    ("/v1/api-keys", "GET"): Operation(
        "listApiKeys",
        _KEYS,
        "List the API keys by id",
        {200: Answer("A page.", page_of(named("ApiKeyAnswer")))},
        query=PAGE,
    ),
    ("/v1/api-keys", "POST"): Operation(
        "createApiKey",
        _KEYS,
        "Make an API key",
        {201: Answer("The key, shown this once.", named("ApiKeyWithSecret"), _MADE)},
        "Its scopes and environments are among those of whoever makes it: else 403.",
        bodies={JSON: named("NewApiKey")},
    ),
    ("/v1/api-keys/{id}", "GET"): Operation(
        "getApiKey",
        _KEYS,
        "Read what there is to an API key",
        {200: Answer("All but the key itself.", named("ApiKeyAnswer"))},
    ),
    ("/v1/api-keys/{id}", "DELETE"): Operation(
        "deleteApiKey",
        _KEYS,
        "Delete an API key, which is refused from now on",
        {204: Answer("It is gone.")},
        errors=(412,),
    ),
    ("/v1/audit", "GET"): Operation(
        "listAudit",
        _AUDIT,
        "Read the audit log, newest first",
        {200: Answer("A page.", page_of(named("AuditEntry")))},
        "A caller that is bound to environments sees what belongs to these alone.",
        query=(
            Parameter("client_id", "What this client did, or what was done to it."),
            Parameter("event", "Only such events.", {"type": "string", "enum": [str(event) for event in Event]}),
            Parameter("since", "From this instant on, RFC 3339.", _INSTANT),
            Parameter("until", "Before this instant, RFC 3339.", _INSTANT),
            *PAGE,
        ),
    ),
    ("/v1/oauth/token", "POST"): Operation(
        "issueToken",
        _TOKENS,
        "Exchange a client's id and secret for an access token",
        {200: Answer("The token.", named("TokenAnswer"), _UNSTORED), **_refusals()},
        "The client's id and secret stand in the form, or in HTTP Basic.",
        bodies={FORM: _OAUTH},
    ),
    ("/v1/oauth/revoke", "POST"): Operation(
        "revokeToken",
        _TOKENS,
        "End an access token (RFC 7009)",
        {200: Answer("It is good no more, if ever it was.", {"type": "object"}, _UNSTORED), **_refusals()},
        "The client that it was issued to says who it is as for a token.",
        bodies={FORM: _REVOKED},
    ),
    ("/.well-known/jwks.json", "GET"): Operation(
        "getTokenKeys",
        _TOKENS,
        "Read the keys that verify access tokens",
        {200: Answer("A JSON Web Key Set.", {"type": "object"}, _UNSTORED)},
    ),
    ("/.well-known/oauth-authorization-server", "GET"): Operation(
        "getTokenMetadata",
        _TOKENS,
        "Find out how to get a token (RFC 8414)",
        {200: Answer("The metadata.", {"type": "object"}, _UNSTORED)},
    ),
}
"""By route and method; HEAD is as GET."""
