"""The revision token that a client sends with its questions, so that it reads its writes (`Writ-Revision`)."""

import logging
import re
import threading
from typing import Final

from .credentials import LOG
from .errors import OlderService

REVISION: Final = "writ-revision"
"""The header of an answer, in lower case, with the revision that decided or that a write has made."""

_TOKEN: Final = re.compile(r"([0-9a-f-]{36})\.([0-9]{1,18})\.([0-9]{1,18})")


class Revisions:
    """The newest revision that the client knows of. Any thread may use it."""

    def __init__(self, token: str | None = None):
        self._lock = threading.Lock()
        self.token = token
        self._met: dict[str, int] = {}

    def met(self, told: str | None) -> None:
        """Remember the epoch of an answer. Raises OlderService if it is earlier than that of the token or an answer."""
        found = _TOKEN.fullmatch(told or "")
        if found is None:
            return
        uuid, epoch = found[1], int(found[2])
        with self._lock:
            known = _TOKEN.fullmatch(self.token or "")
            of_token = int(known[2]) if known is not None and known[1] == uuid else 0
            latest = max(self._met.get(uuid, 0), of_token)
            if epoch >= latest:
                self._met = {uuid: epoch}  # a client asks about one environment
                return
        raise OlderService(
            f"the answer is of epoch {epoch}, and this client knows epoch {latest}: another store has taken over from"
            " the one that answers, so its answers don't count"
        )

    def saw(self, token: str | None) -> None:
        """Keep the token of a write, unless a newer one of the same epoch is known. Raises OlderService as `met`."""
        if token is None or _TOKEN.fullmatch(token) is None:
            return
        self.met(token)
        with self._lock:
            if self.token is None or not _is_newer(self.token, token):
                self.token = token

    def replace(self, token: str | None) -> None:
        """Keep the token that the application gives, or none. Raises ValueError if it is no token."""
        if token is not None and _TOKEN.fullmatch(token) is None:
            raise ValueError("a revision is a token that the client gave before, such as UUID.EPOCH.REVISION")
        with self._lock:
            self.token = token

    def forget(self, token: str) -> None:
        """Drop a token whose epoch is over: a backup was restored. Another one that came meanwhile stays."""
        with self._lock:
            if self.token == token:
                self.token = None
        logging.getLogger(LOG).warning("the revision token %s is of another epoch, and is dropped", token)


def _is_newer(one: str, other: str) -> bool:
    """Returns whether a token has a later revision than another one of the same environment and epoch.

    >>> uuid = "0b8f6d3a-1c52-4f0e-9a57-6f3d2a1b4c5d"
    >>> _is_newer(f"{uuid}.2.41", f"{uuid}.2.9"), _is_newer(f"{uuid}.1.41", f"{uuid}.2.9")
    (True, False)
    """
    known, seen = _TOKEN.fullmatch(one), _TOKEN.fullmatch(other)
    if known is None or seen is None or known[1] != seen[1]:
        return False
    return (int(known[2]), int(known[3])) > (int(seen[2]), int(seen[3]))
