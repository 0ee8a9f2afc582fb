"""What a caller may do: scopes, credentials, and where credentials come from."""

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from ..store.credential_rows import Bounds


class Scope(IntEnum):
    """What a credential may do; cumulative, so a higher one covers every lower one (contract 5)."""

    NONE = 0
    READ = 1
    WRITE = 2
    ADMIN = 3


@dataclass(frozen=True, slots=True)
class Credential:
    """What a presented secret turned out to be; the change log names whoever has it as `actor`.

    `bounds` are the UUIDs of the environments that it is bound to, None where it is bound to none. It is good until
    `expires`, in epoch seconds. `token` is the id of an access token.
    """

    scope: Scope
    actor: str
    bounds: Bounds = None
    expires: float = math.inf
    token: str | None = None


class Verifier(Protocol):
    """One kind of credential, or several."""

    def credential(self, token: bytes) -> Credential | None:
        """What `token`, the bytes after `Bearer `, stands for; None where it is none of this kind."""

    def was_issued(self, token: bytes) -> bool:
        """Whether `token`, which stands for nothing now, was made here once, and so is no guess. May take long."""


class Recent(Protocol):
    """What `Authorization` headers stood for a moment ago."""

    def version(self) -> object:
        """What differs where something was committed since, None where nobody can tell."""

    def credential(self, header: str, version: object) -> Credential | None:
        """What `header` stands for at `version`; None where a verifier has to say."""

    def keep(self, header: str, credential: Credential, version: object) -> None:
        """Remember what `header` stood for at `version`."""
