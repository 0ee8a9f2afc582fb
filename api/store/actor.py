"""The actor of a change: the change log and the audit log record its name and its address."""

from typing import Final

import msgspec

from .environment_ids import Bounds


class Actor(msgspec.Struct, frozen=True):
    """The actor of a change. `name` is its name in the logs, `client` or `api_key` the id of its credential.

    `bounds` are those of its credential: it can do nothing outside them. `address` is the source of its request,
    `request_id` the request's own id. `token` is the id of the access token that a client used. `scopes` are those that
    permit the request, any one of them. None means that it needs no scope. `session` is the id of a person's session,
    and `shown` the person's name. `secret` is the SHA-256 of the API key's secret that was sent.
    """

    name: str
    bounds: Bounds = None
    client: str | None = None
    api_key: str | None = None
    address: str | None = None
    request_id: str | None = None
    token: str | None = None
    scopes: tuple[str, ...] | None = None
    session: str | None = None
    shown: str | None = None
    secret: bytes | None = None


CLIENT_PREFIX: Final = "client:"
"""The start of an OAuth client's name; its id follows."""

API_KEY_PREFIX: Final = "api-key:"
"""The start of an API key's name; its id follows."""

PERSON_PREFIX: Final = "person:"
"""The start of the name of a person who signed in; the person's id follows."""

ADMIN_KEY: Final = "admin-key"
"""The name of the actor who sends the administrator's key."""

COMMAND_LINE: Final = Actor("command line")
"""The user of a command on a data directory."""

ADMINISTRATORS: Final = frozenset({ADMIN_KEY, COMMAND_LINE.name})
"""The actors that no other credential made."""

SERVICE: Final = Actor("service")
"""The service itself."""

SWEEP: Final = Actor("expiry sweep")
"""The service, when it removes assignments and grants that expired long ago."""
