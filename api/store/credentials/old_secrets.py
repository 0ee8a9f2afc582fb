"""The secrets that a rotation replaced: each lives on until the end of its overlap."""

from typing import Final, NamedTuple

from ..database.connection import Connection
from ..errors import Conflict

MOST_OLD_SECRETS: Final = 5
"""Replaced secrets of one credential that still work. One more is refused, so that a list of them stays short."""

REMEMBERED_SECONDS: Final = 604_800
"""Time for which an old secret is remembered after its end. Its last use shows who still needs the new one."""


class Overlap(NamedTuple):
    """The time for which a replaced secret lives on: `seconds`, from `now` in epoch seconds.

    With 0 seconds, it ends at once, on every server and whatever their clocks say.
    """

    seconds: int = 0
    now: float = 0.0

    @property
    def ends(self) -> int:
        """The end of the overlap, in epoch seconds."""
        return int(self.now) + self.seconds


def retire(db: Connection, credential: str, secret: bytes, overlap: Overlap, ends: int) -> None:
    """Let a replaced secret live on until `ends`, in epoch seconds. Without an overlap, end it and all before it.

    `credential` is the name of its credential as an actor. Raises Conflict if there are `MOST_OLD_SECRETS` already.
    """
    if overlap.seconds == 0:
        db.execute("DELETE FROM secret_uses WHERE secret = ?", (secret,))
        end_old(db, credential)
        return
    _forget_ended(db, overlap.now - REMEMBERED_SECONDS)
    query = "SELECT count(*) FROM old_secrets WHERE credential = ? AND ends > ?"
    (living,) = db.execute(query, (credential, int(overlap.now))).fetchone()
    if living >= MOST_OLD_SECRETS:
        raise Conflict(f"{living} earlier secrets still work; end them first, or rotate without an overlap")
    db.execute("INSERT INTO old_secrets (secret, credential, ends) VALUES (?, ?, ?)", (secret, credential, ends))


def end_old(db: Connection, credential: str) -> int:
    """End the replaced secrets of a credential at once. Returns how many there were."""
    query = "SELECT secret FROM old_secrets WHERE credential = ?"
    found = db.execute(query, (credential,)).fetchall()
    db.execute_many("DELETE FROM secret_uses WHERE secret = ?", found)
    db.execute("DELETE FROM old_secrets WHERE credential = ?", (credential,))
    return len(found)


def forget_secrets(db: Connection, credential: str, secret: bytes) -> None:
    """Forget the secrets of a credential that is deleted. `secret` is the SHA-256 of its last one."""
    db.execute("DELETE FROM secret_uses WHERE secret = ?", (secret,))
    end_old(db, credential)


def _forget_ended(db: Connection, before: float) -> None:
    db.execute(
        "DELETE FROM secret_uses WHERE secret IN (SELECT secret FROM old_secrets WHERE ends <= ?)", (int(before),)
    )
    db.execute("DELETE FROM old_secrets WHERE ends <= ?", (int(before),))
