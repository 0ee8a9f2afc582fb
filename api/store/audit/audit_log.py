"""The audit log of a store: the interface to its entries, its seals and its retention."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Final

import msgspec

from ....bundles.conditions.instants import SECOND, from_seconds, parse_instant
from ..actor import SERVICE, Actor
from ..database.connection import Connection
from ..database.connections import StoreConnections
from ..database.driver_errors import DRIVER_ERRORS
from ..environment_ids import Bounds
from ..errors import StoreUnavailable
from .anchor import FILE, Anchor
from .entries import GENESIS, AuditEntry, EntryFilter, NumberedEntry, append, page, sortable_time
from .events import Event
from .exports import ExportCounts, count_exports, has_ended_hours, record_ended_hours
from .log_check import Progress, VerifiedLog, check
from .refused_attempts import Attempt, count_refusals, has_ended_minutes, record_ended_minutes
from .retention import expired_entries, remove_expired
from .seals import Purpose, Seal, Sealer, add_seal, all_seals, head, newest_seal
from .size import LogSize, SizeOfLog
from .tampering import Tampered, VerifiedEntry, verified_entries, verified_seal
from .unsealed import Unsealed, unsealed_after

SEAL_SECONDS: Final = 3_600.0
"""Seconds after which the head of the log is signed again, if there are new entries."""

LATE_SECONDS: Final = 2 * SEAL_SECONDS
"""Seconds after which a server signs the head though another one has the duty: that one seems not to be able to."""

DAY_SECONDS: Final = 86_400

_UNREADABLE: Final[tuple[type[Exception], ...]] = (msgspec.MsgspecError, *DRIVER_ERRORS)
_STRANGE: Final[tuple[type[Exception], ...]] = (ValueError, TypeError, OverflowError, *DRIVER_ERRORS)


class AuditLog:
    """The log. Every method raises StoreUnavailable, as those of the store do. `now` is in epoch seconds.

    Other changes of the store add their entry in their own transaction, by `entries.append`.
    """

    def __init__(self, connections: StoreConnections, time: Callable[[float | None], str]):
        """`time` converts epoch seconds to RFC 3339, and None to the current time."""
        self._connections, self._time = connections, time
        self._anchor = Anchor(connections.directory / FILE)

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
        except _UNREADABLE as ex:
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

    def maintain(self, now: float, keep_days: int, sealer: Sealer, has_duty: bool = True) -> tuple[Seal, ...]:
        """Do what is due: record ended minutes and hours, sign the head, remove expired entries.

        Without the duty, only keep this server's anchor up with the seals of others, and sign a head that is late. Each
        step is safe on two servers at once, also on one that was stopped in it: it writes in one transaction, and looks
        there whether another one has done the same. Returns the new seals. Raises Tampered, OSError, and what
        `Sealer.sign` raises.
        """
        anchor = self._anchor.read()  # before the log, which may only grow meanwhile
        with self._connections.reading() as db:
            ended, newest = has_ended_minutes(db, now) or has_ended_hours(db, now), head(db)
            last_seal = newest_seal(db, Purpose.HEAD)
        if ended and has_duty:
            with self._connections.writing() as db:
                record_ended_minutes(db, self._time(now), now)
                record_ended_hours(db, self._time(now), now)
        _refuse_missing(anchor, newest)
        if newest is None:
            return ()
        if last_seal is not None and (anchor is None or anchor.number < last_seal.number):
            anchor = self._follow(last_seal, sealer)
        sealed = None
        if _is_due(anchor, newest[0], now, has_duty):
            sealed = self.seal(now, sealer)
            anchor = sealed or anchor
        checkpoint = self._remove_expired(now, keep_days, sealer, anchor) if has_duty and anchor is not None else None
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
            anchor, other = self._anchor.read(), newest_seal(db, Purpose.HEAD)
            if any(one is not None and one.number >= last.number for one in (anchor, other)):
                return None  # another process was faster
            if not _has(db, last.number, last.digest):
                return None  # another primary lacks it
            seal = add_seal(db, Purpose.HEAD, last.number, last.digest, self._time(now), sealer)
            self._anchor.write(seal)  # it holds even if this transaction fails: the entries are committed
            return seal

    def _follow(self, seal: Seal, sealer: Sealer) -> Seal:
        """Returns the anchor, once it is the `seal` that another server has made of the same log.

        Each server has its own anchor: the newest seal that it saw. So to undo a part of the log, it is not enough to
        reach the store and one server. Raises Tampered if the log up to the seal does not follow from the anchor.
        """
        with self._connections.reading() as db:
            number, digest = self._verified_start(db, sealer)
            ends = deque(verified_entries(db, number, digest, max(number, seal.number)), maxlen=1)
        reached = (ends[0].number, ends[0].digest) if ends else (number, digest)
        verified_seal(seal, sealer)
        if reached[0] == seal.number and reached[1] != seal.digest:
            raise Tampered(f"entry {seal.number} is not the one that was sealed")
        with self._connections.writing(tells=False):  # so that two workers don't put an older one there
            anchor = self._anchor.read()
            if anchor is None or anchor.number < seal.number:
                self._anchor.write(seal)
                return seal
        return anchor

    def _unsigned_head(self, sealer: Sealer) -> VerifiedEntry | None:
        """Returns the newest entry, or None if it is signed. Other writers need not wait meanwhile. Raises Tampered."""
        with self._connections.reading() as db:
            ends = deque(verified_entries(db, *self._verified_start(db, sealer)), maxlen=1)
        return ends.pop() if ends else None

    def _verified_start(self, db: Connection, sealer: Sealer) -> tuple[int, bytes]:
        """Returns the number and hash of the last signed entry. Raises Tampered."""
        anchor = self._anchor.read()
        # Another server may have removed entries after the anchor. Its checkpoint then says where the log goes on.
        begun = newest_seal(db, Purpose.CHECKPOINT)
        seals = all_seals(db) if anchor is None else [anchor] if begun is None else [anchor, begun]
        newest = max((verified_seal(seal, sealer) for seal in seals), key=lambda seal: seal.number, default=None)
        if newest is None:
            return 0, GENESIS
        _refuse_missing(newest, head(db))
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

    def unsealed(self) -> Unsealed:
        """Returns the entries after the last seal that this server knows. The seal is not verified."""
        try:
            anchor = self._anchor.read()
        except Tampered:
            anchor = None
        with self._connections.reading() as db:
            return unsealed_after(db, anchor)

    def check(self, sealer: Sealer, known_heads: dict[int, bytes], progress: Progress = lambda *_: None) -> VerifiedLog:
        """Check the whole log at one instant.

        `known_heads` are the numbers and hashes of heads that were recorded outside the store. Raises Tampered.
        """
        try:
            with self._connections.translated(), closing(self._connections.fresh()) as db:
                db.begin_reading()
                return check(db, sealer, self._anchor.read(), known_heads, progress)
        except _STRANGE as ex:
            raise Tampered(f"its entries can't be read: {ex!a}") from None


def _is_due(anchor: Seal | None, head: int, now: float, has_duty: bool) -> bool:
    """Returns whether the head must be signed by a server whose newest seal is `anchor`."""
    if anchor is None:
        return has_duty
    return head != anchor.number and _age(anchor, now) >= (SEAL_SECONDS if has_duty else LATE_SECONDS)


def _refuse_missing(sealed: Seal | None, last: tuple[int, bytes] | None) -> None:
    """Raises Tampered if the log, whose head is `last`, lacks the entry that was sealed."""
    if sealed is not None and (last is None or last[0] < sealed.number):
        raise Tampered(f"the entries up to {sealed.number}, which were sealed, are missing")


def _has(db: Connection, number: int, digest: bytes) -> bool:
    """Returns whether the log has an entry of that number and hash."""
    found = db.execute("SELECT digest FROM audit WHERE number = ?", (number,)).fetchone()
    return found is not None and found[0] == digest


def _age(seal: Seal, now: float) -> float:
    """Returns the age of a seal in seconds, also if the clock was set back."""
    return abs(from_seconds(now) - parse_instant(seal.time)) / SECOND
