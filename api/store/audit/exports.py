"""Counts exported bundles and updates for an hour, and then writes one entry for each credential."""

from collections import Counter
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from ....bundles.conditions.instants import SECOND, from_seconds, show_instant
from ..actor import Actor
from ..database.connection import Connection
from ..environments import Environment
from .entries import AuditEntry, append
from .events import Event

HOUR_SECONDS: Final = 3_600

_ENDED = "(hour < :hour OR hour > :hour + 1 OR :all = 1)"
"""Also counts of an hour well in the future, from before the clock was set back: they would wait for that time."""


class Export(NamedTuple):
    """A kind of export that is counted apart: by credential, environment and exported content.

    `actor`, `client` and `address` are those of the actor, `environment` and `uuid` the id and UUID of the environment.
    """

    actor: str
    client: str
    address: str
    environment: str
    uuid: str
    what: str

    @classmethod
    def of(cls, actor: Actor, env: Environment, what: str) -> "Export":
        """Returns the export of `what` from an environment by an actor."""
        return cls(actor.name, actor.client or "", actor.address or "", env.id, env.uuid, what)

    def entry(self, time: str, details: dict[str, object]) -> AuditEntry:
        """Returns an entry about it."""
        actor = Actor(self.actor, client=self.client or None, address=self.address or None)
        within = frozenset({self.uuid})
        entry = AuditEntry.of(time, actor, Event.BUNDLE_EXPORTED, {"type": self.what, **details}, within=within)
        return replace(entry, environment=self.environment)


ExportCounts: TypeAlias = Counter[tuple[int, Export]]
"""Numbers of exports by hour (since 1970) and kind."""


def count_exports(db: Connection, counts: ExportCounts) -> None:
    """Add to the counts of their hours."""
    for (hour, export), count in counts.items():
        db.execute(
            "INSERT INTO bundle_exports VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (hour, actor, client, address, environment, uuid, what)"
            " DO UPDATE SET count = bundle_exports.count + excluded.count",
            (hour, *export, count),
        )


def has_ended_hours(db: Connection, now: float) -> bool:
    """Returns whether there are counts of an hour that has ended."""
    query = f"SELECT 1 FROM bundle_exports WHERE {_ENDED} LIMIT 1"
    return db.execute(query, {"hour": _hour(now), "all": False}).fetchone() is not None


def record_ended_hours(db: Connection, time: str, now: float, all_of_them: bool = False) -> None:
    """Write entries with the time `time` for the counts of hours that ended before `now`, or of all hours."""
    values = {"hour": _hour(now), "all": all_of_them}
    columns = "hour, actor, client, address, environment, uuid, what, count"
    query = f"SELECT {columns} FROM bundle_exports WHERE {_ENDED} ORDER BY 1, 2, 3, 4, 5, 6, 7"
    rows = db.execute(query, values).fetchall()
    for hour, *export, count in rows:
        since = show_instant(hour * HOUR_SECONDS * SECOND)
        append(db, Export(*export).entry(time, {"count": count, "hour": since}))
    db.execute(f"DELETE FROM bundle_exports WHERE {_ENDED}", values)


def _hour(now: float) -> int:
    return from_seconds(now) // SECOND // HOUR_SECONDS
