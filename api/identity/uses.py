"""Notes which clients and API keys one worker let in, for `last_used_at`."""

from collections.abc import Callable, Mapping
from typing import Final

from ..store.actor import API_KEY_PREFIX, CLIENT_PREFIX

MINUTE_SECONDS: Final = 60
"""A use is known by its minute: so each credential is noted once a minute, however often it is used."""


class CredentialUses:
    """The uses that are not stored yet. Only the thread of the event loop uses them.

    PERF: `note` is called where a header is looked up again, so once a second for a credential in constant use.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` gives epoch seconds."""
        self._clock = clock
        self._minute = 0
        self._noted: set[str] = set()
        self._waiting: dict[str, int] = {}

    def note(self, actor: str) -> None:
        """Note that a credential was used now, by `Credential.used_as`. The administrator's key has no last use."""
        minute = int(self._clock()) // MINUTE_SECONDS
        if minute != self._minute:
            self._minute = minute
            self._noted.clear()
        if actor not in self._noted and actor.startswith((API_KEY_PREFIX, CLIENT_PREFIX)):
            self._noted.add(actor)
            self._waiting[actor] = minute * MINUTE_SECONDS

    def take(self) -> dict[str, int]:
        """Returns the noted uses since the last call: the beginning of a minute, in epoch seconds, by name."""
        taken, self._waiting = self._waiting, {}
        return taken

    def give_back(self, uses: Mapping[str, int]) -> None:
        """Keep uses that could not be handed on. Those that were noted since are newer."""
        self._waiting = {**uses, **self._waiting}
