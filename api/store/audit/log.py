"""The audit log of a store: the front door to its entries, its seals and its end."""

import sqlite3
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Final

import msgspec
from sqlite_utils import Database

from ....bundles.conditions.instants import SECOND, from_seconds, parse_instant
from ..actor import SERVICE, Actor
from ..credential_rows import Bounds
from ..database.connections import Connections
from ..errors import StoreUnavailable
from .anchor import FILE, Anchor
from .check import Progress, Verdict, check
from .entries import GENESIS, AuditEntry, EntryFilter, NumberedEntry, append, page, sortable_time
from .events import Event
from .refused_attempts import Attempt, count_refusals, end_minutes, has_ended_minutes
from .retention import cut, old_entries
from .seals import Purpose, Seal, Sealer, add_seal, all_seals, head
from .tampering import Proven, Tampered, proven, walk

SEAL_SECONDS: Final = 3_600.0
"""The head of the log is signed so often, where something has been added."""

DAY_SECONDS: Final = 86_400


class AuditLog:
    """The log. Every method raises StoreUnavailable as those of the store do; `now` is in epoch seconds.

    What changes the store otherwise adds its entry in its own transaction, by `entries.append`.
    """

    def __init__(self, connections: Connections, time: Callable[[float | None], str]):
        """`time` gives RFC 3339 of epoch seconds, of now for None."""
        self._connections, self._time = connections, time
        self._anchor = Anchor(connections.path.with_name(FILE))

    def add(self, entries: Sequence[AuditEntry], patience: int = 1) -> None:
        """Add entries in one transaction; `patience` as in `Connections.writing`."""
        with self._connections.writing(patience) as db:
            for entry in entries:
                append(db, entry)

    def page(
        self, where: EntryFilter, within: Bounds, limit: int, cursor: str | None = None
    ) -> tuple[list[NumberedEntry], str | None]:
        """Entries, the newest first, that somebody bound to `within` may see, and the cursor of what follows.

        Raises BadQuery.
        """
        try:
            with self._connections.reading() as db:
                return page(db, where, within, limit, cursor)
        except (msgspec.MsgspecError, sqlite3.Error) as ex:
            sentence = "the audit log can't be read; `writ audit verify` says where it was changed"
            raise StoreUnavailable(sentence) from ex

    def count_refusals(self, counts: Mapping[Attempt, int], now: float) -> None:
        """Count refused attempts."""
        with self._connections.writing() as db:
            count_refusals(db, counts, now)

    def keep_up(self, now: float, keep_days: int, sealer: Sealer) -> tuple[Seal, ...]:
        """Do what is due: make entries of minutes of refusals, remove old entries, sign the head.

        Gives back the new seals. Raises Tampered, OSError, and what `Sealer.sign` raises.
        """
        with self._connections.reading() as db:
            ended, newest = has_ended_minutes(db, now), head(db)
        if ended:
            with self._connections.writing() as db:
                end_minutes(db, self._time(now), now)
        anchor = self._anchor.read()
        if newest is None:
            return ()
        if anchor is None or (newest[0] != anchor.number and _age(anchor, now) >= SEAL_SECONDS):
            sealed = self.seal(now, sealer)
            anchor = sealed or anchor
        else:
            sealed = None
        checkpoint = None if anchor is None else self._cut(now, keep_days, sealer, anchor)
        return tuple(seal for seal in (sealed, checkpoint) if seal is not None)

    def seal(self, now: float, sealer: Sealer) -> Seal | None:
        """Sign the head; None where it is signed.

        What is signed is proven to follow from what was signed before, by a seal that lies outside of the store as
        well: nobody gets a signature for a history of his own. Raises as `keep_up`.
        """
        last = self._proven_head(sealer)
        if last is None:
            return None
        with self._connections.writing() as db:
            anchor = self._anchor.read()
            if anchor is not None and anchor.number >= last.number:
                return None  # another process was faster
            seal = add_seal(db, Purpose.HEAD, last.number, last.digest, self._time(now), sealer)
            self._anchor.write(seal)  # it is so whether this transaction ends well or not: the entries are there
            return seal

    def _proven_head(self, sealer: Sealer) -> Proven | None:
        """The newest entry, None where it is signed; while it is proven, others may write. Raises Tampered."""
        with self._connections.reading() as db:
            ends = deque(walk(db, *self._proven_start(db, sealer)), maxlen=1)
        return ends.pop() if ends else None

    def _proven_start(self, db: Database, sealer: Sealer) -> tuple[int, bytes]:
        """The number and the hash of the entry up to which the log is signed. Raises Tampered."""
        anchor = self._anchor.read()
        seals = all_seals(db) if anchor is None else [anchor]
        newest = max((proven(seal, sealer) for seal in seals), key=lambda seal: seal.number, default=None)
        if newest is None:
            return 0, GENESIS
        last = head(db)
        if last is None or last[0] < newest.number:
            raise Tampered(f"the entries up to {newest.number}, which were sealed, are missing")
        return newest.number, newest.digest

    def _cut(self, now: float, keep_days: int, sealer: Sealer, anchor: Seal) -> Seal | None:
        """Remove a day's worth of old entries at a time, and not each by itself."""
        before, late = (sortable_time(from_seconds(now - days * DAY_SECONDS)) for days in (keep_days, keep_days + 1))
        with self._connections.reading() as db:
            oldest = db.execute("SELECT time FROM audit ORDER BY number LIMIT 1").fetchone()
            if oldest is None or oldest[0] >= late:
                return None
            old = old_entries(db, before, sealer, proven(anchor, sealer))
        if old is None:
            return None
        with self._connections.writing() as db:
            return cut(db, old, self._time(now), sealer)

    def tell(self, actor: Actor, event: Event, details: Mapping[str, object] | None = None) -> None:
        """Add an entry of something that belongs to no environment, by the store's clock."""
        with self._connections.writing() as db:
            append(db, AuditEntry.of(self._time(None), actor, event, details))

    def end(self, now: float) -> None:
        """Add the last entry of a service, behind what it has counted."""
        with self._connections.writing() as db:
            time = self._time(now)
            end_minutes(db, time, now, all_of_them=True)
            append(db, AuditEntry.of(time, SERVICE, Event.SERVICE_STOPPED))

    def check(self, sealer: Sealer, noted: dict[int, bytes], progress: Progress = lambda *_: None) -> Verdict:
        """Check the whole log as it is at one instant; `noted` are heads that were written down. Raises Tampered."""
        try:
            with self._connections.translated(), closing(self._connections.fresh()) as db:
                db.conn.execute("BEGIN")
                return check(db, sealer, self._anchor.read(), noted, progress)
        except (ValueError, TypeError, OverflowError, sqlite3.Error) as ex:
            raise Tampered(f"what is there can't be read as a log: {ex!a}") from None


def _age(seal: Seal, now: float) -> float:
    """Seconds, also where the clock was put back."""
    return abs(from_seconds(now) - parse_instant(seal.time)) / SECOND
