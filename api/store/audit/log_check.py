"""Checks the audit log: its tables, and every number, hash and seal, from its start to its head."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ..database.audit_tables import AUDIT
from ..database.connection import Connection
from .entries import GENESIS
from .seals import Purpose, Seal, Sealer, all_seals
from .tampering import Tampered, verified_entries, verified_seal

SEEN_EACH: Final = 10_000
"""Entries between two reports of progress."""

Progress = Callable[[str, int, int], None]
"""Receives the name of a phase, the amount done, and the total amount."""


@dataclass(frozen=True, slots=True)
class VerifiedLog:
    """A log that is whole: `entries` from number `first` to `last`, whose hash is `head`.

    The entries up to `sealed` are signed, at `sealed_at`, by the key of the id `key`. These are 0 and None if no entry
    is signed. `unverifiable` are known heads of entries that have been removed, which Writ can't compare.
    """

    entries: int
    first: int
    last: int
    head: bytes
    sealed: int
    sealed_at: str | None
    key: str | None
    unverifiable: tuple[int, ...]


def check(
    db: Connection, sealer: Sealer, anchor: Seal | None, known_heads: Mapping[int, bytes], progress: Progress
) -> VerifiedLog:
    """Check the log in one transaction. `anchor` is the newest seal, from the file beside the store.

    `known_heads` are the numbers and hashes of heads that were recorded outside the store. Raises Tampered.
    """
    _check_tables(db)
    seals = [verified_seal(seal, sealer) for seal in (*all_seals(db), *(() if anchor is None else (anchor,)))]
    checkpoints = [seal for seal in seals if seal.purpose is Purpose.CHECKPOINT]
    start, before = (checkpoints[-1].number, checkpoints[-1].digest) if checkpoints else (0, GENESIS)
    heads = [seal for seal in seals if seal.purpose is Purpose.HEAD and seal.number >= start]
    last = _walked(db, start, before, heads, known_heads, progress)
    sealed = max(heads, key=lambda seal: seal.number, default=None)
    return VerifiedLog(
        last[0] - start,
        start + 1,
        *last,
        0 if sealed is None else sealed.number,
        None if sealed is None else sealed.time,
        None if sealed is None else sealed.key,
        tuple(number for number in known_heads if number < start),
    )


def _walked(
    db: Connection,
    start: int,
    digest: bytes,
    heads: Iterable[Seal],
    known_heads: Mapping[int, bytes],
    progress: Progress,
) -> tuple[int, bytes]:
    """Returns the number and hash of the last entry, after it has verified every entry. Raises Tampered."""
    first = db.execute("SELECT min(number), count(*) FROM audit").fetchone()
    if first[0] is not None and first[0] <= start:
        raise Tampered(f"entry {first[0]} was removed, and is back")
    sealed: dict[int, list[bytes]] = {}
    for seal in heads:
        sealed.setdefault(seal.number, []).append(seal.digest)
    last = start, digest
    _compare(*last, sealed, known_heads)
    for one in verified_entries(db, start, digest):
        last = one.number, one.digest
        _compare(*last, sealed, known_heads)
        if one.number % SEEN_EACH == 0:
            progress("verifying", one.number - start, first[1])
    missing = max((number for number in (*sealed, *known_heads) if number > last[0]), default=None)
    if missing is not None:
        raise Tampered(f"the entries from {last[0] + 1} to {missing} are missing")
    progress("verifying", first[1], first[1])
    return last


def _compare(number: int, digest: bytes, sealed: Mapping[int, list[bytes]], known_heads: Mapping[int, bytes]) -> None:
    if any(one != digest for one in sealed.get(number, ())):
        raise Tampered(f"entry {number} is not the one that was sealed")
    if known_heads.get(number, digest) != digest:
        raise Tampered(f"entry {number} is not the one that was noted")


def _check_tables(db: Connection) -> None:
    """Compare the tables, indexes and triggers, since they decide what the entries say. Raises Tampered."""
    fault = db.fault_of_tables("audit", AUDIT)
    if fault is not None:
        raise Tampered(fault)
