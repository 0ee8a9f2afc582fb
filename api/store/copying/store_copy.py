"""Copies a whole store into an empty place: a data directory, or a database of PostgreSQL."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ....bundles.conditions.instants import show_seconds
from ....bundles.progress import Progress
from ..actor import command_actor
from ..audit.entries import AuditEntry, append
from ..audit.events import Event
from ..environments import Environment, all_environments
from .places import Place
from .rows import copy_rows


@dataclass(frozen=True, slots=True)
class CopiedStore:
    """The result of a copy: the environments, by id, and the count of rows of each table, by its name."""

    environments: tuple[Environment, ...]
    rows: Mapping[str, int]


def copy_store(source: Place, target: Place, progress: Progress, clock: Callable[[], float] = time.time) -> CopiedStore:
    """Copy the store of `source`, in one state, to `target`, which has none. A copy that fails leaves none.

    The audit log of `source` gets an entry with the time of `clock`, in epoch seconds, before the copy, so both have
    it. The epochs stay, so no service may write to `source` from then on. Its bundles are not copied, since a start
    builds them. Raises StoreUnavailable, also if `source` has an older format, or if `target` has a store.
    """
    with target.filling() as db, source.opened() as connections:
        copied = AuditEntry.of(show_seconds(clock()), command_actor(), Event.STORE_COPIED, {"to": target.shown})
        with connections.writing() as writer:
            append(writer, copied)
        rows = copy_rows(connections, db, progress)
        return CopiedStore(all_environments(db), rows)
