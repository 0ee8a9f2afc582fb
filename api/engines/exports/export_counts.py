"""Counts the exports of one worker until the store takes them over."""

from collections import Counter
from collections.abc import Callable
from typing import Final

from ...store.actor import Actor
from ...store.audit.entries import AuditEntry
from ...store.audit.exports import HOUR_SECONDS, Export, ExportCounts
from ...store.environments import Environment

MOST_KINDS: Final = 10_000
"""Kinds of exports that are counted apart. Beyond, addresses are not: a credential has few kinds without them."""


class Exports:
    """Counters of exports, used by the thread of the event loop only."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` gives epoch seconds."""
        self._clock = clock
        self._counts: ExportCounts = Counter()
        self._hour = 0
        self._told: set[Export] = set()

    def counted(self, actor: Actor, env: Environment, what: str, time: str) -> AuditEntry | None:
        """Returns the entry of an export, if it is the first of its kind in this hour. Others are counted.

        `what` is the media type of the export, `time` is RFC 3339.
        """
        hour = int(self._clock()) // HOUR_SECONDS
        if hour != self._hour:
            self._hour = hour
            self._told.clear()
        export = Export.of(actor, env, what)
        if export not in self._told and len(self._told) >= MOST_KINDS:
            export = export._replace(address="")
        if export in self._told:
            self._counts[hour, export] += 1
            return None
        self._told.add(export)
        return export.entry(time, {"revision": env.revision})

    def take(self) -> ExportCounts:
        """Returns the counts since the last call."""
        taken, self._counts = self._counts, Counter()
        return taken

    def give_back(self, counts: ExportCounts) -> None:
        """Adds counts that could not be stored."""
        self._counts.update(counts)
