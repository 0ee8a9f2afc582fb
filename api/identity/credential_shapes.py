"""The shapes of clients and API keys in requests and answers; the OpenAPI document describes them."""

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from ..http.openapi.operation import Instant

LONGEST_LIFETIME: Final = 30 * 86_400
"""The longest lifetime of a token in seconds. A replaced signing key is kept as long."""

DEFAULT_LIFETIME: Final = 3_600

LONGEST_OVERLAP: Final = 604_800
"""The longest time in seconds for which a replaced secret lives on: a week."""

MOST_ENVIRONMENTS: Final = 100
"""Environments that a client or an API key may be bound to: a token names each, and must fit into a header."""

SCOPES: Final = ("decide", "read", "write", "admin")

Name = Annotated[str, Meta(min_length=1, max_length=256)]
Description = Annotated[str, Meta(max_length=4_096)]
Scopes = Annotated[
    tuple[Literal["decide", "read", "write", "admin"], ...],
    Meta(min_length=1, max_length=16, description="Each covers those before it: decide, read, write, admin."),
]
Lifetime = Annotated[int, Meta(ge=1, le=LONGEST_LIFETIME, description="Seconds that a token lives.")]
Environments = Annotated[
    tuple[Annotated[str, Meta(max_length=64)], ...],
    Meta(min_length=1, max_length=MOST_ENVIRONMENTS, description="Ids of those that it is bound to; null: to none."),
]

OverlapSeconds = Annotated[int, Meta(ge=0, le=LONGEST_OVERLAP, description="Seconds that the old secret lives on.")]
Expiry = Annotated[str, Meta(description="RFC 3339 with an offset; in the future.")]


class NewClient(Struct, frozen=True, forbid_unknown_fields=True):
    """A client to be made. The caller can't give it scopes or environments that the caller lacks."""

    name: Name
    scopes: Scopes
    description: Description | None = None
    token_lifetime: Lifetime = DEFAULT_LIFETIME
    environments: Environments | None = None


class ClientPatch(Struct, frozen=True, forbid_unknown_fields=True):
    """A merge patch of a client: members that are left out stay. What the client loses, its live tokens lose too."""

    name: Name | UnsetType = UNSET
    scopes: Scopes | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    token_lifetime: Lifetime | UnsetType = UNSET
    environments: Environments | UnsetType | None = UNSET


class NewSecret(Struct, frozen=True, forbid_unknown_fields=True):
    """The rotation of a client's secret. The old secret lives on for the overlap; with 0 seconds, it ends at once."""

    overlap_seconds: OverlapSeconds = 0


class NewKey(Struct, frozen=True, forbid_unknown_fields=True):
    """The rotation of an API key, as that of a secret. Without `expires_at`, the key expires as before."""

    overlap_seconds: OverlapSeconds = 0
    expires_at: Expiry | UnsetType | None = UNSET


class OldSecretAnswer(Struct, frozen=True):
    """A replaced secret, which works until `ends_at`. It is listed for a week longer.

    `last_used_at` is the minute of its last use, or null.
    """

    ends_at: Instant
    last_used_at: Instant | None


class ClientAnswer(Struct, frozen=True):
    """A client. `revoked` is the time of its revocation, or null.

    `last_used_at` is the minute in which it last got or used a token, or null. It is stored once a minute.
    `secret_last_used_at` is the minute in which it last got a token with its present secret.
    """

    client_id: str
    name: str
    description: str | None
    scopes: tuple[str, ...]
    token_lifetime: int
    environments: tuple[str, ...] | None
    created: Instant
    revoked: Instant | None
    last_used_at: Instant | None
    secret_last_used_at: Instant | None
    old_secrets: tuple[OldSecretAnswer, ...]


class ClientWithSecret(ClientAnswer, frozen=True, kw_only=True):
    """A client and its secret. No other answer shows the secret."""

    client_secret: str


class NewApiKey(Struct, frozen=True, forbid_unknown_fields=True):
    """An API key to be made. The caller can't give it scopes or environments that the caller lacks."""

    name: Name
    scopes: Scopes
    environments: Environments | None = None
    expires_at: Expiry | None = None


class ApiKeyAnswer(Struct, frozen=True):
    """An API key without the key itself. It is valid until `expires_at`, or until it is deleted if that is null.

    `last_used_at` is the minute of its last use, or null. It is stored once a minute. `key_last_used_at` is that of the
    present key, without the old ones.
    """

    id: str
    name: str
    scopes: tuple[str, ...]
    environments: tuple[str, ...] | None
    created: Instant
    expires_at: Instant | None
    last_used_at: Instant | None
    key_last_used_at: Instant | None
    old_keys: tuple[OldSecretAnswer, ...]


class ApiKeyWithSecret(ApiKeyAnswer, frozen=True, kw_only=True):
    """An API key with the key itself. No other answer shows the key."""

    key: str


class TokenAnswer(Struct, frozen=True):
    """An access token (contract 4.1). `expires_in` is in seconds; `scope` is separated by spaces."""

    access_token: str
    token_type: Literal["Bearer"]
    expires_in: int
    scope: str


class OAuthError(Struct, frozen=True):
    """The reason why a client's request was refused (RFC 6749, 5.2)."""

    error: Literal[
        "invalid_request",
        "invalid_client",
        "invalid_grant",
        "invalid_scope",
        "unsupported_grant_type",
        "server_error",
    ]


def in_order(scopes: Sequence[str]) -> tuple[str, ...]:
    """Returns scopes from the lowest up, each once.

    >>> in_order(["admin", "read", "read"])
    ('read', 'admin')
    """
    return tuple(scope for scope in SCOPES if scope in scopes)
