"""The guard of a server that tells of its requests: it notes whom it admits."""

from collections.abc import Callable

from ..http.caller import CALLER
from .credential import Credential, Scope
from .guard import Guard


class NotingGuard(Guard):
    """A guard that notes the caller for this task, whatever server took the request."""

    def admitted(
        self, header: str | None, address: Callable[[], str], needed: Scope, env: str | None, version: object
    ) -> Credential:
        """See `Guard`."""
        credential = super().admitted(header, address, needed, env, version)
        CALLER.set((env or "", credential.actor))
        return credential
