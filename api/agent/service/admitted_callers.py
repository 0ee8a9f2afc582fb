"""The callers that an agent admits beside those with access tokens: given keys, or everybody."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Final

from ...identity.credential import Credential, Scope

Keys = Callable[[], Mapping[bytes, str]]
"""Returns the names of callers by the SHA-256 of their keys; the same object as long as nothing changed."""


class GivenKeys:
    """Callers by the keys of a file, or of the agent's own credential (see `Verifier`)."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys

    def credential(self, token: bytes) -> Credential | None:
        """See `Verifier`. It looks up the SHA-256, so the time that it takes tells nothing about a key."""
        name = self._keys().get(hashlib.sha256(token).digest())
        return None if name is None else Credential(Scope.READ, f"caller:{name}")

    def was_issued(self, _token: bytes) -> bool:
        """See `Verifier`. Former keys are not known."""
        return False


class Anyone:
    """Admits every request, for an agent that only its own machine can reach (see `Verifier`)."""

    CREDENTIAL: Final = Credential(Scope.READ, "anyone")

    def credential(self, _token: bytes) -> Credential | None:
        """See `Verifier`."""
        return self.CREDENTIAL

    def was_issued(self, _token: bytes) -> bool:
        """See `Verifier`."""
        return True
