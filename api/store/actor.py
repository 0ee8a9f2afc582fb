"""Who does something to the store, and from where: what the change log and the audit log keep of it."""

from typing import Final

import msgspec

from .credential_rows import Bounds


class Actor(msgspec.Struct, frozen=True):
    """Whoever does something. `name` is how the logs call it, `client` or `api_key` the id of the one that it is.

    `bounds` are those of its credential: outside of them it may do nothing. `address` is where its request came from,
    `request_id` what the request calls itself. `token` is the id of the access token that a client came with, and
    `scopes` are those of which its request takes one; None takes none.
    """

    name: str
    bounds: Bounds = None
    client: str | None = None
    api_key: str | None = None
    address: str | None = None
    request_id: str | None = None
    token: str | None = None
    scopes: tuple[str, ...] | None = None


COMMAND_LINE: Final = Actor("command line")
"""Whoever uses the commands on a data directory."""

SERVICE: Final = Actor("service")
"""The service itself."""
