"""The audit log of a store: the interface to its entries, its seals and its retention."""

import sqlite3
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Final

import msgspec
from sqlite_utils import Database

from ....bundles.conditions.instants import SECOND, from_seconds, parse_instant
from ..actor import SERVICE, Actor
from ..database.connections import StoreConnections
from ..environment_ids import Bounds
from ..errors import StoreUnavailable
from .anchor import FILE, Anchor
from .entries import GENESIS, AuditEntry, EntryFilter, NumberedEntry, append, page, sortable_time
from .events import Event
from .exports import ExportCounts, count_exports, has_ended_hours, record_ended_hours
from .log_check import Progress, VerifiedLog, check
from .refused_attempts import Attempt, count_refusals, has_ended_minutes, record_ended_minutes
from .retention import expired_entries, remove_expired
from .seals import Purpose, Seal, Sealer, add_seal, all_seals, head
from .size import LogSize, SizeOfLog
from .tampering import Tampered, VerifiedEntry, verified_entries, verified_seal

SEAL_SECONDS: Final = 3_600.0
"""Seconds after which the head of the log is signed again, if there are new entries."""

DAY_SECONDS: Final = 86_400


class AuditLog:
    """The log. Every method raises StoreUnavailable, as those of the store do. `now` is in epoch seconds.

    Other changes of the store add their entry in their own transaction, by `entries.append`.
    """

    def __init__(self, connections: StoreConnections, time: Callable[[float | None], str]):
        """`time` converts epoch seconds to RFC 3339, and None to the current time."""
        self._connections, self._time = connections, time
        self._anchor = Anchor(connections.path.with_name(FILE))

    def add(self, entries: Sequence[AuditEntry], wait_factor: int = 1) -> None:
        """Add entries in one transaction. `wait_factor` is that of `StoreConnections.writing`."""
        with self._connections.writing(wait_factor) as db:
            for entry in entries:
                append(db, entry)

    def page(
        self, where: EntryFilter, within: Bounds, limit: int, cursor: str | None = None
    ) -> tuple[list[NumberedEntry], str | None]:
        """Returns entries within the bounds `within`, newest first, and the cursor of the next page or None.

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

    def count_exports(self, counts: ExportCounts) -> None:
        """Count exported bundles and updates."""
        with self._connections.writing() as db:
            count_exports(db, counts)

    def maintain(self, now: float, keep_days: int, sealer: Sealer) -> tuple[Seal, ...]:
        """Do what is due: record ended minutes and hours, sign the head, remove expired entries.

        Returns the new seals. Raises Tampered, OSError, and what `Sealer.sign` raises.
        """
        with self._connections.reading() as db:
            ended, newest = has_ended_minutes(db, now) or has_ended_hours(db, now), head(db)
        if ended:
            with self._connections.writing() as db:
                record_ended_minutes(db, self._time(now), now)
                record_ended_hours(db, self._time(now), now)
        anchor = self._anchor.read()
        if newest is None:
            return ()
        if anchor is None or (newest[0] != anchor.number and _age(anchor, now) >= SEAL_SECONDS):
            sealed = self.seal(now, sealer)
            anchor = sealed or anchor
        else:
            sealed = None
        checkpoint = None if anchor is None else self._remove_expired(now, keep_days, sealer, anchor)
        return tuple(seal for seal in (sealed, checkpoint) if seal is not None)

    def seal(self, now: float, sealer: Sealer) -> Seal | None:
        """Sign the head. Returns the seal, or None if the head is signed already.

        The new head is verified to follow from the last seal, which the anchor keeps outside the store too. So Writ
        never signs a history that another program has written. Raises as `maintain`.
        """
        last = self._unsigned_head(sealer)
        if last is None:
            return None
        with self._connections.writing() as db:
            anchor = self._anchor.read()
            if anchor is not None and anchor.number >= last.number:
                return None  # another process was faster
            seal = add_seal(db, Purpose.HEAD, last.number, last.digest, self._time(now), sealer)
            self._anchor.write(seal)  # it holds even if this transaction fails: the entries are committed
            return seal

    def _unsigned_head(self, sealer: Sealer) -> VerifiedEntry | None:
        """Returns the newest entry, or None if it is signed. Other writers need not wait meanwhile. Raises Tampered."""
        with self._connections.reading() as db:
            ends = deque(verified_entries(db, *self._verified_start(db, sealer)), maxlen=1)
        return ends.pop() if ends else None

    def _verified_start(self, db: Database, sealer: Sealer) -> tuple[int, bytes]:
        """Returns the number and hash of the last signed entry. Raises Tampered."""
        anchor = self._anchor.read()
        seals = all_seals(db) if anchor is None else [anchor]
        newest = max((verified_seal(seal, sealer) for seal in seals), key=lambda seal: seal.number, default=None)
        if newest is None:
            return 0, GENESIS
        last = head(db)
        if last is None or last[0] < newest.number:
            raise Tampered(f"the entries up to {newest.number}, which were sealed, are missing")
        return newest.number, newest.digest

    def _remove_expired(self, now: float, keep_days: int, sealer: Sealer, anchor: Seal) -> Seal | None:
        """Remove expired entries once they make up a day."""
        before, late = (sortable_time(from_seconds(now - days * DAY_SECONDS)) for days in (keep_days, keep_days + 1))
        with self._connections.reading() as db:
            oldest = db.execute("SELECT time FROM audit ORDER BY number LIMIT 1").fetchone()
            if oldest is None or oldest[0] >= late:
                return None
            old = expired_entries(db, before, sealer, verified_seal(anchor, sealer))
        if old is None:
            return None
        with self._connections.writing() as db:
            return remove_expired(db, old, self._time(now), sealer)

    def record(self, actor: Actor, event: Event, details: Mapping[str, object] | None = None) -> None:
        """Add an entry that belongs to no environment, with the time of the store's clock."""
        with self._connections.writing() as db:
            append(db, AuditEntry.of(self._time(None), actor, event, details))

    def end(self, now: float) -> None:
        """Add the last entry of a service, after the counts of refused attempts and exports."""
        with self._connections.writing() as db:
            time = self._time(now)
            record_ended_minutes(db, time, now, all_of_them=True)
            record_ended_hours(db, time, now, all_of_them=True)
            append(db, AuditEntry.of(time, SERVICE, Event.SERVICE_STOPPED))

    def size(self, known: SizeOfLog) -> LogSize:
        """Returns the size of the log, with what is `known` of it from earlier calls."""
        with self._connections.reading() as db:
            return known.look(db)

    def check(self, sealer: Sealer, known_heads: dict[int, bytes], progress: Progress = lambda *_: None) -> VerifiedLog:
        """Check the whole log at one instant.

        `known_heads` are the numbers and hashes of heads that were recorded outside the store. Raises Tampered.
        """
        try:
            with self._connections.translated(), closing(self._connections.fresh()) as db:
                db.conn.execute("BEGIN")
                return check(db, sealer, self._anchor.read(), known_heads, progress)
        except (ValueError, TypeError, OverflowError, sqlite3.Error) as ex:
            raise Tampered(f"its entries can't be read: {ex!a}") from None


def _age(seal: Seal, now: float) -> float:
    """Returns the age of a seal in seconds, also if the clock was set back."""
    return abs(from_seconds(now) - parse_instant(seal.time)) / SECOND
