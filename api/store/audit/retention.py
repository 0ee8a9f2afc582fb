"""Retention: the oldest entries are removed, and a signed checkpoint takes their place."""

from dataclasses import dataclass
from typing import Final

from sqlite_utils import Database

from ..actor import SERVICE
from .entries import GENESIS, AuditEntry, append
from .events import Event
from .seals import Purpose, Seal, Sealer, add_seal, all_seals
from .tampering import Proven, Tampered, proven, walk

MOST_REMOVED: Final = 10_000
"""Entries that one transaction removes, so that no writer waits for long."""


@dataclass(frozen=True, slots=True)
class Old:
    """The entries that go, those behind the number `start` up to `last`; all of them are from `before` that time."""

    before: str
    start: int
    last: Proven


def old_entries(db: Database, before: str, sealer: Sealer, anchor: Seal) -> Old | None:
    """The oldest entries, up to the first that is not from `before` that time; None where there are none.

    They are proven, by the chain and by every seal of it, and lie before `anchor`, the newest seal: nobody gets a
    signature for what somebody else wrote. Raises Tampered.
    """
    seals = [proven(seal, sealer) for seal in all_seals(db)]
    start, digest = next(
        ((seal.number, seal.digest) for seal in reversed(seals) if seal.purpose is Purpose.CHECKPOINT), (0, GENESIS)
    )
    heads = {seal.number: seal.digest for seal in (*seals, anchor) if seal.purpose is Purpose.HEAD}
    last: Proven | None = None
    for one in walk(db, start, digest, min(start + MOST_REMOVED, anchor.number - 1)):
        if one.entry.time >= before:
            break
        if heads.get(one.number, one.digest) != one.digest:
            raise Tampered(f"entry {one.number} is not the one that was sealed")
        last = one
    if last is None:
        return None
    _prove_the_rest(db, last, heads)
    return Old(before, start, last)


def cut(db: Database, old: Old, time: str, sealer: Sealer) -> Seal | None:
    """Remove `old` entries; gives back the checkpoint, of that `time`, or None where another process was faster.

    Raises what `Sealer.sign` raises; then nothing is removed.
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


def _prove_the_rest(db: Database, last: Proven, heads: dict[int, bytes]) -> None:
    """The next seal behind the last entry to go proves that entry too. Raises Tampered."""
    following = min(number for number in heads if number >= last.number)
    digest = last.digest
    for one in walk(db, last.number, digest, following):
        digest = one.digest
    if digest != heads[following]:
        raise Tampered(f"entry {following} is not the one that was sealed")
