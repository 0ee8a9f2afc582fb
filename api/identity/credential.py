"""Credentials and their scopes, and the interfaces that look them up."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

import falcon.asgi

from ...runtime import Engine
from ..store.environment_ids import Bounds


class Scope(IntEnum):
    """The scope of a credential. Scopes are cumulative: a higher one covers every lower one (contract 5).

    DECIDE is an addition to the contract: decisions, searches and bundles alone. READ covers these as before.
    """

    NONE = 0
    DECIDE = 1
    READ = 2
    WRITE = 3
    ADMIN = 4


@dataclass(frozen=True, slots=True)
class Credential:
    """The rights of a caller, and the `actor` that the change log names.

    `bounds` are the UUIDs of the environments that the credential is bound to, or None if it is bound to none. It is
    valid at instants with `since` <= now < `expires`, in epoch seconds. `token` is the id of an access token, or None
    for another credential. `session` is the id of a person's session, and `shown` the person's name. `secret` is the
    SHA-256 of the secret of an API key, or else None.
    """

    scope: Scope
    actor: str
    bounds: Bounds = None
    expires: float = math.inf
    token: str | None = None
    since: float = -math.inf
    session: str | None = None
    shown: str | None = None
    secret: bytes | None = field(default=None, repr=False)

    @property
    def used_as(self) -> str:
        """The name by which a use is noted: the actor, with the SHA-256 of the secret if one was sent."""
        return self.actor if self.secret is None else f"{self.actor} {self.secret.hex()}"

    def is_valid_at(self, now: float) -> bool:
        """Returns whether the credential is valid at `now`. A clock that was set back can make it invalid."""
        return self.since <= now < self.expires


class Verifier(Protocol):
    """One kind of credential, or several."""

    def credential(self, token: bytes) -> Credential | None:
        """Returns the credential of `token`, the bytes after `Bearer `, or None if it is unknown or has ended."""

    def was_issued(self, token: bytes) -> bool:
        """Returns whether this service issued `token`, so that it is no guess although it has ended. May be slow."""


class Sessions(Protocol):
    """The sessions of people, whose cookies count in place of a header."""

    def counts(self, req: falcon.asgi.Request) -> bool:
        """Returns whether a cookie counts for a request: not where decisions are asked for, and not with a header."""

    async def credential(self, req: falcon.asgi.Request) -> Credential | None:
        """Returns the credential of the request's session, or None if it names none.

        Raises Unauthenticated if the session has ended, Forbidden if another site may have sent the request, and Stale.
        """

    def checked_again(self, credential: Credential) -> Credential:
        """Returns the credential of a session as it is now. Raises Unauthenticated, Stale."""


class Recent(Protocol):
    """The credentials of recent `Authorization` headers."""

    def version(self) -> object:
        """Returns a value that changes with every commit, or None if the store can't be read."""

    def credential(self, header: str, version: object) -> Credential | None:
        """Returns the credential of `header` at `version`, or None if a verifier has to look it up."""

    def keep(self, header: str, credential: Credential, version: object) -> None:
        """Remembers the credential of `header` at `version`."""

    def admission(self, header: str, version: object, env: str) -> "Admission | None":
        """Returns the admission of `header` to an environment at `version`, or None."""

    def admit(self, header: str, credential: Credential, version: object, env: str, engine: Engine) -> "Admission":
        """Returns the admission of `header` to an engine at `version`, and remembers it as long as the credential."""

    def admits(self, admission: "Admission", header: bytes) -> bool:
        """Returns whether `header` is still admitted: the admission is for it, and has not ended."""


@dataclass(frozen=True, slots=True)
class Admission:
    """A credential, and the engine of an environment that it may ask, as of a version of the data.

    It holds at instants with `since` <= now < `until`. `key` is made of the header, which is not kept.
    """

    credential: Credential
    env: str
    engine: Engine
    version: object
    since: float
    until: float
    key: tuple[int, int]


def highest(scopes: Sequence[str]) -> Scope:
    """Returns the highest of several scopes by name. It covers all others, since scopes are cumulative.

    >>> highest(["read", "write"]).name, highest([]).name
    ('WRITE', 'NONE')
    """
    return max((Scope[scope.upper()] for scope in scopes), default=Scope.NONE)
