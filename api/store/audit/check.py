"""Checks the audit log: its tables, every number, every hash and every seal, from its beginning to its head."""

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from sqlite_utils import Database

from ..database.schema import AUDIT
from .entries import GENESIS
from .seals import Purpose, Seal, Sealer, all_seals
from .tampering import Tampered, proven, walk

SEEN_EACH: Final = 10_000
"""Entries between two reports of progress."""

Progress = Callable[[str, int, int], None]
"""Told of a phase, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A log that is whole: `entries` from number `first` to `last`, whose hash is `head`.

    Those up to `sealed` are signed, at `sealed_at`, by the key of the id `key`; None where nothing is. `untold` are
    heads that somebody noted of entries that are gone by now, of which nobody can tell.
    """

    entries: int
    first: int
    last: int
    head: bytes
    sealed: int
    sealed_at: str | None
    key: str | None
    untold: tuple[int, ...]


def check(db: Database, sealer: Sealer, anchor: Seal | None, noted: Mapping[int, bytes], progress: Progress) -> Verdict:
    """Check the log in one transaction; `anchor` is the newest seal as the file beside the store has it.

    `noted` are heads, number and hash, that somebody wrote down elsewhere. Raises Tampered.
    """
    _check_tables(db)
    seals = [proven(seal, sealer) for seal in (*all_seals(db), *(() if anchor is None else (anchor,)))]
    checkpoints = [seal for seal in seals if seal.purpose is Purpose.CHECKPOINT]
    start, before = (checkpoints[-1].number, checkpoints[-1].digest) if checkpoints else (0, GENESIS)
    heads = [seal for seal in seals if seal.purpose is Purpose.HEAD and seal.number >= start]
    last = _walked(db, start, before, heads, noted, progress)
    sealed = max(heads, key=lambda seal: seal.number, default=None)
    return Verdict(
        last[0] - start,
        start + 1,
        *last,
        0 if sealed is None else sealed.number,
        None if sealed is None else sealed.time,
        None if sealed is None else sealed.key,
        tuple(number for number in noted if number < start),
    )


def _walked(
    db: Database,
    start: int,
    digest: bytes,
    heads: Iterable[Seal],
    noted: Mapping[int, bytes],
    progress: Progress,
) -> tuple[int, bytes]:
    """The last entry's number and hash, every entry proven. Raises Tampered."""
    first = db.execute("SELECT min(number), count(*) FROM audit").fetchone()
    if first[0] is not None and first[0] <= start:
        raise Tampered(f"entry {first[0]} was removed, and is back")
    sealed: dict[int, list[bytes]] = {}
    for seal in heads:
        sealed.setdefault(seal.number, []).append(seal.digest)
    last = start, digest
    _compare(*last, sealed, noted)
    for one in walk(db, start, digest):
        last = one.number, one.digest
        _compare(*last, sealed, noted)
        if one.number % SEEN_EACH == 0:
            progress("verifying", one.number - start, first[1])
    missing = max((number for number in (*sealed, *noted) if number > last[0]), default=None)
    if missing is not None:
        raise Tampered(f"the entries from {last[0] + 1} to {missing} are missing")
    progress("verifying", first[1], first[1])
    return last


def _compare(number: int, digest: bytes, sealed: Mapping[int, list[bytes]], noted: Mapping[int, bytes]) -> None:
    if any(one != digest for one in sealed.get(number, ())):
        raise Tampered(f"entry {number} is not the one that was sealed")
    if noted.get(number, digest) != digest:
        raise Tampered(f"entry {number} is not the one that was noted")


def _check_tables(db: Database) -> None:
    """What tables, indexes and triggers are is part of what entries say. Raises Tampered."""
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.executescript(AUDIT)
        expected = _objects(fresh)
    found = _objects(db.conn)
    different = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
    if different:
        raise Tampered(f"the table, index or trigger {different[0]!a} was changed")
    (state,) = db.execute("PRAGMA integrity_check(audit)").fetchone()
    if state != "ok":
        raise Tampered(f"its table is not sound: {state!a}")


def _objects(connection: sqlite3.Connection) -> dict[str, str]:
    query = "SELECT name, sql FROM sqlite_schema WHERE tbl_name GLOB 'audit*' AND sql IS NOT NULL"
    return dict(connection.execute(query).fetchall())
