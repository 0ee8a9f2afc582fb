"""The guard of a server with an access log or traces: it notes whom it admits."""

from collections.abc import Callable

from ..http.caller import CALLER, Who
from ..store.environment_ids import DEFAULT
from ..store.errors import Stale
from .credential import Credential, Scope
from .guard import Guard


class NotingGuard(Guard):
    """A guard that notes the caller for this task, whatever server took the request."""

    notes = True

    def admitted(
        self, header: str | None, address: Callable[[], str], needed: Scope, env: str | None, version: object
    ) -> Credential:
        """See `Guard`."""
        credential = super().admitted(header, address, needed, env, version)
        CALLER.set(self._who(env, credential))
        return credential

    def note(self, env: str, credential: Credential) -> None:
        """See `Guard`."""
        CALLER.set(self._who(env, credential))

    def _who(self, env: str | None, credential: Credential) -> Who:
        """See `Guard`. Only an environment that exists is noted: a path may name anything, also a person."""
        return super()._who(env if env is not None and self._exists(env) else None, credential)

    def _exists(self, env: str) -> bool:
        try:
            return env == DEFAULT or self._uuid_of(env) is not None
        except Stale:
            return False
