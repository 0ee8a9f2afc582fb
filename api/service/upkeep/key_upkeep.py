"""Registers the keys of a server with the database while the service runs: one worker does it for all."""

from typing import Final

from ...identity.keys.agreement import KeyAgreement
from .one_worker import OneWorker
from .upkeep import InThread

KEY_TROUBLE: Final = "the servers on this database don't share their keys"


class KeyUpkeep:
    """The keys' part of the upkeep of one process. It is made before the workers are forked."""

    def __init__(self, agreement: KeyAgreement) -> None:
        """Raises OSError if there is no file for a lock."""
        self._agreement, self._registrar = agreement, OneWorker()

    async def renew(self, in_thread: InThread) -> None:
        """Register the keys as they are now. Raises UnusableSigningKey, StoreUnavailable."""
        if self._registrar.is_this():
            await in_thread(self._agreement.renew)

    def end_service(self) -> None:
        """Tell the others of the end. Raises StoreUnavailable."""
        self._registrar.close()
        self._agreement.leave()
