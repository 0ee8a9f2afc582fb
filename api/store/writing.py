"""One write of elements, inside a transaction: its edits, checks, change log and delta."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlite_utils import Database

from .actor import Actor
from .credentials.credential_recheck import recheck_credential
from .elements.applying import EditApplier
from .elements.checking import check
from .elements.edits import Committed, Edit
from .elements.element_references import refuse_dangling
from .elements.workspace import Workspace
from .environments import environment_within
from .errors import BodyFault, Rejected
from .history.committing import log_changes

MAX_EDITS = 1_000
"""The most edits of one write."""

Time = Callable[[float | None], str]
"""Returns epoch seconds as RFC 3339. None is the time of the call."""


@dataclass(frozen=True, slots=True)
class Write:
    """Edits of the environment `env`, all or none, as one revision. `now` is epoch seconds, or None for the time of
    the write.
    """

    env: str
    actor: Actor
    edits: Sequence[Edit]
    now: float | None = None


def refuse_many(write: Write) -> None:
    """Raises Rejected if a write has too many edits."""
    if len(write.edits) > MAX_EDITS:
        message = f"there are {len(write.edits)} edits in one write, the limit is {MAX_EDITS}"
        raise Rejected((BodyFault("too-many-edits", "$", message, "write them in several steps"),))


def apply_write(db: Database, write: Write, time: Time) -> Committed:
    """Apply a write in the transaction of `db`, which sees the writes before it. Edits that change nothing make no
    revision.

    Raises what `Store.write` raises. The caller must then undo what the write did.
    """
    return apply_to(db, write, time)[1]


def apply_to(db: Database, write: Write, time: Time, deadline: float = math.inf) -> tuple[Workspace, Committed]:
    """Apply a write as `apply_write` does. Returns its workspace too, which has the changed elements.

    `deadline` is that of `Workspace`.
    """
    recheck_credential(db, write.actor)
    workspace = Workspace(db, environment_within(db, write.env, write.actor.bounds), deadline)
    applier = EditApplier(workspace)
    results = applier.apply(write.edits)
    if not applier.rejected:
        refuse_dangling(workspace)
    check(workspace, applier.rejected, applier.faults)
    revision = log_changes(workspace, write.actor, time(write.now))
    environment = replace(workspace.environment, revision=revision)
    return workspace, Committed(environment, results, frozenset(applier.added), tuple(applier.warnings))
