"""The audit log of a store: the front door to its entries, its seals and its end."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Final

from api.store.actor import SERVICE, Actor
from api.store.audit.check import Progress, Verdict, check
from api.store.audit.entries import Entry, Numbered, Wanted, append, page, sortable_time
from api.store.audit.events import Event
from api.store.audit.refusals import Attempt, count_refusals, end_minutes, has_ended_minutes
from api.store.audit.retention import cut
from api.store.audit.seals import Purpose, Seal, Sealer, add_seal, head, newest_seal
from api.store.connections import Connections
from api.store.credential_rows import Bounds
from bundles.conditions.instants import SECOND, from_seconds, parse_instant

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

    def add(self, entries: Sequence[Entry]) -> None:
        """Add entries in one transaction."""
        with self._connections.writing() as db:
            for entry in entries:
                append(db, entry)

    def page(
        self, wanted: Wanted, within: Bounds, limit: int, cursor: str | None = None
    ) -> tuple[list[Numbered], str | None]:
        """Entries, the newest first, that somebody bound to `within` may see, and the cursor of what follows.

        Raises BadQuery.
        """
        with self._connections.reading() as db:
            return page(db, wanted, within, limit, cursor)

    def count_refusals(self, counts: Mapping[Attempt, int], now: float) -> None:
        """Count refused attempts."""
        with self._connections.writing() as db:
            count_refusals(db, counts, now)

    def keep_up(self, now: float, keep_days: int, sealer: Sealer) -> Seal | None:
        """Do what is due: make entries of minutes of refusals, remove old entries, sign the head.

        Gives back the new seal. Raises what `Sealer.sign` raises.
        """
        before, late = (sortable_time(from_seconds(now - days * DAY_SECONDS)) for days in (keep_days, keep_days + 1))
        with self._connections.reading() as db:
            ended = has_ended_minutes(db, now)
            seal, newest = newest_seal(db), head(db)
            oldest = db.execute("SELECT time FROM audit ORDER BY number LIMIT 1").fetchone()
        if ended:
            with self._connections.writing() as db:
                end_minutes(db, self._time(now), now)
        due = newest is not None and (seal is None or (newest[0] > seal.number and _age(seal, now) >= SEAL_SECONDS))
        if oldest is not None and oldest[0] < late:  # then all of a day, and not each by itself
            with self._connections.writing() as db:
                cut(db, before, self._time(now), sealer)
        return self.seal(now, sealer) if due else None

    def seal(self, now: float, sealer: Sealer) -> Seal | None:
        """Sign the head; None where it is signed. Raises what `Sealer.sign` raises."""
        with self._connections.writing() as db:
            found, seal = head(db), newest_seal(db)
            if found is None or (seal is not None and seal.number == found[0]):
                return None
            return add_seal(db, Purpose.HEAD, *found, self._time(now), sealer)

    def tell(self, actor: Actor, event: Event, details: Mapping[str, object] | None = None) -> None:
        """Add an entry of something that belongs to no environment, by the store's clock."""
        with self._connections.writing() as db:
            append(db, Entry.of(self._time(None), actor, event, details))

    def begin(self, new_key: bool) -> None:
        """Add the first entries of a service; `new_key`: it has another administrator's key than before."""
        self.tell(SERVICE, Event.SERVICE_STARTED)
        if new_key:
            self.tell(SERVICE, Event.ADMIN_KEY_SET)

    def end(self, now: float) -> None:
        """Add the last entry of a service, behind what it has counted."""
        with self._connections.writing() as db:
            time = self._time(now)
            end_minutes(db, time, now, all_of_them=True)
            append(db, Entry.of(time, SERVICE, Event.SERVICE_STOPPED))

    def check(self, sealer: Sealer, noted: dict[int, bytes], progress: Progress = lambda *_: None) -> Verdict:
        """Check the whole log as it is at one instant; `noted` are heads that were written down. Raises Tampered."""
        with self._connections.translated(), closing(self._connections.fresh()) as db:
            db.conn.execute("BEGIN")
            return check(db, sealer, noted, progress)


def _age(seal: Seal, now: float) -> float:
    """Seconds, also where the clock was put back."""
    return abs(from_seconds(now) - parse_instant(seal.time)) / SECOND
