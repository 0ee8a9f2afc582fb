"""Checks the audit log: every number, every hash and every seal, from its beginning to its head."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from sqlite_utils import Database

from api.store.audit.entries import GENESIS, chained, entry_in
from api.store.audit.seals import Purpose, Seal, Sealer, all_seals

SEEN_EACH: Final = 10_000
"""Entries between two reports of progress."""

Progress = Callable[[str, int, int], None]
"""Told of a phase, how much of it is done, and how much there is."""


class Tampered(Exception):
    """The log is not what was written; the message says where it first differs."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A log that is whole: `entries` from number `first` to `last`, whose hash is `head`.

    Those up to `sealed` are signed, at `sealed_at`. `unsealed_since` is the time of the oldest that is not, None where
    all are.
    """

    entries: int
    first: int
    last: int
    head: bytes
    sealed: int
    sealed_at: str | None
    unsealed_since: str | None


def check(db: Database, sealer: Sealer, noted: dict[int, bytes], progress: Progress) -> Verdict:
    """Check the log in one transaction; `noted` are heads, number and digest, that somebody wrote down elsewhere.

    Raises Tampered.
    """
    seals = [_proven(seal, sealer) for seal in all_seals(db)]
    checkpoints = [seal for seal in seals if seal.purpose is Purpose.CHECKPOINT]
    heads = {seal.number: seal for seal in seals if seal.purpose is Purpose.HEAD}
    start, before = (checkpoints[-1].number, checkpoints[-1].digest) if checkpoints else (0, GENESIS)
    number, digest, sealed = start, before, None
    unsealed_since = None
    expected = noted | {seal.number: seal.digest for seal in heads.values()}
    for number, digest, time in _entries(db, start, before, progress):
        unsealed_since = unsealed_since or time
        if expected.get(number, digest) != digest:
            raise Tampered(f"entry {number} is not the one that was {'noted' if number in noted else 'sealed'}")
        if number in heads:
            sealed, unsealed_since = heads[number], None
    missing = max((one for one in expected if one > number), default=None)
    if missing is not None:
        raise Tampered(f"the entries from {number + 1} to {missing} are missing")
    at = None if sealed is None else sealed.time
    return Verdict(
        number - start, start + 1, number, digest, 0 if sealed is None else sealed.number, at, unsealed_since
    )


def _entries(db: Database, start: int, digest: bytes, progress: Progress) -> Iterator[tuple[int, bytes, str]]:
    """Number, hash and time of each entry, proven to follow from the one before it. Raises Tampered."""
    (count,) = db.execute("SELECT count(*) FROM audit").fetchone()
    expected = start
    for seen, (number, body, stored) in enumerate(
        db.execute("SELECT number, CAST(body AS BLOB), digest FROM audit ORDER BY number")
    ):
        expected += 1
        if number != expected:
            what = f"entry {expected} is missing" if number > expected else f"entry {number} was removed, and is back"
            raise Tampered(what)
        digest = chained(digest, number, body)
        if digest != stored:
            raise Tampered(f"entry {number}, or its hash, was changed")
        if seen % SEEN_EACH == 0:
            progress("verifying", seen, count)
        yield number, digest, entry_in(body).time
    progress("verifying", count, count)


def _proven(seal: Seal, sealer: Sealer) -> Seal:
    right = sealer.verify(seal.key, seal.text, seal.signature)
    if right is None:
        raise Tampered(f"the seal of entry {seal.number} is by the key `{seal.key}`, which is not known here")
    if not right:
        raise Tampered(f"the seal of entry {seal.number} was changed")
    return seal
