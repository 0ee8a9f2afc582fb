"""The actor of a change: the change log and the audit log record its name and its address."""

import os
import pwd
import re
from collections.abc import Mapping
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

OLD_ADMIN_KEY_PREFIX: Final = "admin-key:"
"""The start of the name of an administrator's key that a newer one replaced; its fingerprint follows."""

OS_USER_PREFIX: Final = "os:"
"""The start of the name of a user of the operating system who runs a command on a store."""

COMMAND_LINE: Final = Actor("command line")
"""A command on a store whose user is not known. Earlier versions named every command so."""

ADMINISTRATORS: Final = frozenset({ADMIN_KEY, COMMAND_LINE.name})
"""The actors that no other credential made."""


_OS_NAME: Final = re.compile(r"[A-Za-z0-9_.@+\\-]{1,64}", re.ASCII)
"""The names of users that are taken as they are. Any other one may be made to look like another actor."""


def command_actor(environment: Mapping[str, str] = os.environ) -> Actor:
    """Returns the user of the operating system who runs this command, such as `os:alice`.

    The name is that of the process's user, whatever `environment` says: each user can set `USER` there. A user with no
    name, or one with unusual signs, is named by the number, as `os:uid=1000`. Only for root, `SUDO_USER` is added: the
    actor is `os:root sudo:alice` then. Root could be anybody else too, so this note is a help, and no proof.
    """
    user = os.getuid()
    try:
        name = pwd.getpwuid(user).pw_name
    except KeyError:
        name = ""
    shown = name if _OS_NAME.fullmatch(name) else f"uid={user}"
    by = environment.get("SUDO_USER", "") if user == 0 else ""
    return Actor(f"{OS_USER_PREFIX}{shown}" + (f" sudo:{by}" if _OS_NAME.fullmatch(by) else ""))


def administrator_of(name: str) -> str:
    """Returns the one of `ADMINISTRATORS` that an actor's name belongs to, or the name itself.

    All keys of the administrator are one credential, and so are all users who can write to the store: each of them
    could act as the other, so that none of them is a second person.

    >>> administrator_of("admin-key:0a1b2c3d"), administrator_of("os:alice"), administrator_of("client:c1")
    ('admin-key', 'command line', 'client:c1')
    """
    if name.startswith(OLD_ADMIN_KEY_PREFIX):
        return ADMIN_KEY
    return COMMAND_LINE.name if name.startswith(OS_USER_PREFIX) else name


SERVICE: Final = Actor("service")
"""The service itself."""

SWEEP: Final = Actor("expiry sweep")
"""The service, when it removes assignments and grants that expired long ago."""
