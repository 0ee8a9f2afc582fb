"""Retention: Writ removes the oldest entries, and a signed checkpoint replaces them."""

from dataclasses import dataclass
from typing import Final

from ..actor import SERVICE
from ..database.connection import Connection
from .entries import GENESIS, AuditEntry, append
from .events import Event
from .seals import Purpose, Seal, Sealer, add_seal, all_seals
from .tampering import Tampered, VerifiedEntry, verified_entries, verified_seal

MOST_REMOVED: Final = 10_000
"""The most entries that one transaction removes, so that no writer waits for long."""


@dataclass(frozen=True, slots=True)
class ExpiredEntries:
    """The entries to remove: those after the number `start` up to `last`. All are from `before` that time."""

    before: str
    start: int
    last: VerifiedEntry


def expired_entries(db: Connection, before: str, sealer: Sealer, anchor: Seal) -> ExpiredEntries | None:
    """Returns the oldest entries, up to the first one that is not from `before` that time, or None.

    They are verified by the chain and by every seal in it, and lie before `anchor`, the newest seal. So Writ never
    signs entries that another program has written. Raises Tampered.
    """
    seals = [verified_seal(seal, sealer) for seal in all_seals(db)]
    start, digest = next(
        ((seal.number, seal.digest) for seal in reversed(seals) if seal.purpose is Purpose.CHECKPOINT), (0, GENESIS)
    )
    heads = {seal.number: seal.digest for seal in (*seals, anchor) if seal.purpose is Purpose.HEAD}
    last: VerifiedEntry | None = None
    for one in verified_entries(db, start, digest, min(start + MOST_REMOVED, anchor.number - 1)):
        if one.entry.time >= before:
            break
        if heads.get(one.number, one.digest) != one.digest:
            raise Tampered(f"entry {one.number} is not the one that was sealed")
        last = one
    if last is None:
        return None
    _verify_next_seal(db, last, heads)
    return ExpiredEntries(before, start, last)


def remove_expired(db: Connection, old: ExpiredEntries, time: str, sealer: Sealer) -> Seal | None:
    """Remove `old` entries. Returns the checkpoint, made at `time`, or None if another process was faster.

    Raises what `Sealer.sign` raises, and removes nothing then.
    """
    number = old.last.number
    if db.execute("SELECT min(number) FROM audit").fetchone() != (old.start + 1,):
        return None
    seal = add_seal(db, Purpose.CHECKPOINT, number, old.last.digest, time, sealer)
    db.execute("DELETE FROM audit WHERE number <= ?", (number,))
    db.execute(
        "DELETE FROM audit_seals WHERE number <= ? AND NOT (purpose = 'checkpoint' AND number = ?)", (number, number)
    )
    details = {"before": old.before, "entries": number - old.start, "up_to": str(number)}
    append(db, AuditEntry.of(time, SERVICE, Event.LOG_CUT, details))
    return seal


def _verify_next_seal(db: Connection, last: VerifiedEntry, heads: dict[int, bytes]) -> None:
    """Check that the next seal after the last entry to remove covers that entry too. Raises Tampered."""
    following = min(number for number in heads if number >= last.number)
    digest = last.digest
    for one in verified_entries(db, last.number, digest, following):
        digest = one.digest
    if digest != heads[following]:
        raise Tampered(f"entry {following} is not the one that was sealed")
