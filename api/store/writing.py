"""One write of elements: its edits, checks, change log and delta, prepared outside the write lock or inside."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from ...compiler.limits import DEFAULTS, Limits
from .actor import Actor
from .credentials.credential_recheck import recheck_credential
from .database.connection import Connection
from .database.connections import StoreConnections
from .database.time_limit import PREPARING_SECONDS, TimeLimit
from .elements.applying import EditApplier
from .elements.checking import check
from .elements.edits import Committed, Edit
from .elements.element_references import refuse_dangling
from .elements.workspace import Workspace
from .environments import Environment, environment_within
from .errors import BodyFault, Rejected
from .history.committing import FoundChanges, find_changes, log_found

MAX_EDITS = 1_000
"""The most edits of one write."""

MOST_PREPARATIONS = 8
"""The times that a write is prepared. If its environment changed each time, it is prepared inside the write lock."""

Time = Callable[[float | None], str]
"""Returns epoch seconds as RFC 3339. None is the time of the call."""


@dataclass(frozen=True, slots=True)
class Write:
    """Edits of the environment `env`, all or none, as one revision. `now` is epoch seconds, or None for the time of
    the write. `limits` are those of the model.
    """

    env: str
    actor: Actor
    edits: Sequence[Edit]
    now: float | None = None
    limits: Limits = DEFAULTS


def refuse_many(write: Write) -> None:
    """Raises Rejected if a write has too many edits."""
    if len(write.edits) > MAX_EDITS:
        message = f"there are {len(write.edits)} edits in one write, the limit is {MAX_EDITS}"
        raise Rejected((BodyFault("too-many-edits", "$", message, "write them in several steps"),))


@dataclass(frozen=True, slots=True)
class PreparedWrite:
    """A write that was applied without the write lock: its workspace, what it changed, and its results."""

    write: Write
    workspace: Workspace
    found: FoundChanges | None
    committed: Committed

    def is_current(self, environment: Environment) -> bool:
        """Returns whether an environment has the state that the write was prepared on."""
        before = self.workspace.environment
        return (before.number, before.epoch, before.revision) == (
            environment.number,
            environment.epoch,
            environment.revision,
        )


def apply_write(db: Connection, write: Write, time: Time, limit: TimeLimit | None = None) -> Committed:
    """Apply a write in the transaction of `db`, which sees the writes before it. Edits that change nothing make no
    revision.

    Raises what `Store.write` raises. The caller must then undo what the write did.
    """
    prepared = apply_edits(db, write, limit)
    workspace = prepared.workspace
    revision = log_found(db, workspace.environment, workspace, prepared.found, write.actor, time(write.now))
    return replace(prepared.committed, environment=replace(workspace.environment, revision=revision))


def apply_edits(db: Connection, write: Write, limit: TimeLimit | None = None) -> PreparedWrite:
    """Apply and check the edits of a write, and find its delta, but log nothing. Raises what `apply_write` raises."""
    recheck_credential(db, write.actor)
    workspace = Workspace(db, environment_within(db, write.env, write.actor.bounds), limit, write.limits)
    applier = EditApplier(workspace)
    results = applier.apply(write.edits)
    if not applier.rejected:
        refuse_dangling(workspace)
    check(workspace, applier.rejected, applier.faults)
    found = find_changes(workspace)
    committed = Committed(workspace.environment, results, frozenset(applier.added), tuple(applier.warnings))
    return PreparedWrite(write, workspace, found, committed)


@contextmanager
def prepared_on(connections: StoreConnections, limit: TimeLimit) -> Iterator[Connection]:
    """Wraps a block that applies a write without the write lock, on one state of the store. Raises Rejected."""
    limit.begin()
    with connections.trying(limit) as db:
        yield db


class Writes:
    """The writes of elements. Other writes wait for one only while its rows and its log are stored.

    So each is prepared first, without the write lock, and then stored if its environment has not changed meanwhile.
    """

    def __init__(self, connections: StoreConnections, time: Time, locked_milliseconds: int) -> None:
        """`locked_milliseconds` is the processor time that a write may take while other writes wait."""
        self._connections, self._time, self._locked_seconds = connections, time, locked_milliseconds / 1_000

    def write(self, write: Write) -> Committed:
        """Prepare and store a write. Raises what `Store.write` raises."""
        for _ in range(MOST_PREPARATIONS):
            committed = self.commit(self.prepare(write))
            if committed is not None:
                return committed
        return self.write_locked(write)

    def prepare(self, write: Write) -> PreparedWrite:
        """Apply a write without the write lock, and store nothing. Raises what `Store.write` raises."""
        refuse_many(write)
        limit = TimeLimit(PREPARING_SECONDS)
        with prepared_on(self._connections, limit) as db:
            return apply_edits(db, write, limit)

    def commit(self, prepared: PreparedWrite) -> Committed | None:
        """Store a prepared write. Returns None if another write of its environment came first.

        Raises OutOfBounds, NotFound, Conflict, StoreUnavailable, and WriteTakesLong if its rows take too long.
        """
        write, workspace = prepared.write, prepared.workspace
        with self._connections.writing(environments=(write.env,)) as db:
            limit = TimeLimit.of_processor(self._locked_seconds)
            recheck_credential(db, write.actor)
            environment = environment_within(db, write.env, write.actor.bounds)
            if not prepared.is_current(environment):
                return None
            workspace.repeat(db, limit)
            revision = log_found(db, environment, workspace, prepared.found, write.actor, self._time(write.now))
            limit.refuse_late()
            return replace(prepared.committed, environment=replace(environment, revision=revision))

    def write_locked(self, write: Write) -> Committed:
        """Prepare and store a write inside the write lock, since its environment always changes meanwhile.

        Raises what `Store.write` raises.
        """
        refuse_many(write)
        with self._connections.writing(environments=(write.env,)) as db:
            return apply_write(db, write, self._time, TimeLimit.of_processor(self._locked_seconds))
