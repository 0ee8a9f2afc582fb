"""A takeover: the policy model of an environment is replaced by another one, as one revision."""

from collections.abc import Iterator
from copy import copy
from functools import cached_property
from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from ....compiler.model.elements import ElementKind, Model
from ..actor import Actor
from ..database.connection import Connection
from ..elements.kinds import KINDS
from ..environments import Environment
from ..errors import MAX_LISTED_USERS, Conflict, Drifted
from ..history.origin import Origin
from ..models.model_pairs import ModelPair, with_lists
from ..models.reading import model_of, put_lists
from ..models.remaining_uses import Use, lost_actions, refuse_uses, uses
from ..models.replacing import Replacement, ReplacementResult
from ..models.stored_errors import errors_of
from .differences import differences, shown
from .model_drift import baseline, drift_of
from .policy_model import POLICY_LISTS, PolicyModel, policy_model
from .promotion import Drift, ElementDifference, Preview, RoleRename
from .renamed_roles import renamed_assignments, renamed_differences

_MOST_NAMED: Final = 5
"""The errors that a refusal names."""


class PolicySource(NamedTuple):
    """The source of a policy model: an environment by its id, UUID and epoch, and its revision."""

    id: str
    uuid: str
    epoch: int
    revision: int


class RequestedBy(NamedTuple):
    """A request for a takeover: the name of the actor, and the note."""

    by: str
    note: str | None


class PolicyReplacement:
    """The replacement of the policy model of `target` by `after`, which comes from `source`, and its effects.

    It is about one state of the database. The assignments of a role that `renames` has get its new name.
    """

    def __init__(
        self,
        db: Connection,
        target: Environment,
        source: PolicySource,
        after: PolicyModel,
        renames: tuple[RoleRename, ...] = (),
    ):
        self._db, self.target, self.source, self.renames = db, target, source, renames
        self.before = policy_model(db, target)
        self.after = PolicyModel(after.stored, _lists(db, target, after))
        self._assignments = renamed_assignments(db, target, renames) if renames else {}
        self._difference: Replacement | None = None

    def prepare(self) -> None:
        """Find the digests and the difference now, for a later `within`."""
        _ = self.before.digest, self.after.digest, self.errors
        self._difference = self._replacement()

    def within(self, db: Connection) -> "PolicyReplacement":
        """Returns the same takeover for a later transaction of `db`, in which neither end has changed since."""
        later = copy(self)
        later._db = db
        return later

    @cached_property
    def errors(self) -> tuple[str, ...]:
        """The errors of the policy model that it brings, as sentences. Its environment may have them from long ago."""
        lists: dict[str, Any] = {kind.name: tuple(self.after.elements(kind.name)) for kind in POLICY_LISTS}
        return errors_of(Model(**lists)).all

    @property
    def is_restoration(self) -> bool:
        """True if the environment goes back to an earlier revision."""
        return self.source.uuid == self.target.uuid

    def preview(self) -> Preview:
        """Returns what it would do, and what would prevent it."""
        elements, truncated = shown(self.differences())
        return Preview(
            self.source.id,
            self.source.epoch,
            self.source.revision,
            self.target.revision,
            self.after.digest,
            self.changes().changes,
            elements,
            truncated,
            tuple(islice(self._uses(), MAX_LISTED_USERS)),
            drift_of(self._db, self.target),
            renames=self.renames,
            errors=self.errors,
        )

    def models(self) -> ModelPair | None:
        """Returns the target's whole model before and after it, or None if something uses what it removes."""
        if any(self._uses()):
            return None
        before = model_of(self._db, self.target)
        lists = {kind.name: tuple(self.after.elements(kind.name)) for kind in POLICY_LISTS}
        if self._assignments:
            lists[ElementKind.ASSIGNMENTS] = tuple(now.element for _, now in self._assignments.values())
        return ModelPair(before, with_lists(before, lists))

    def differences(self) -> Iterator[ElementDifference]:
        """Yields the assignments of renamed roles, and the changed elements of the policy model."""
        yield from renamed_differences(self._assignments)
        yield from differences(self.before, self.after)

    def refuse(self, accept_drift: bool) -> Drift:
        """Returns the drift that it overwrites.

        Raises Conflict if an element of the target uses what it removes. Raises Drifted for a drift that is not
        accepted; a restoration overwrites it by its nature. Raises Conflict for a policy model with errors, but a
        restoration is the way back in an emergency.
        """
        if self.errors and not self.is_restoration:
            raise Conflict(f"what the promotion brings has errors: {'; '.join(self.errors[:_MOST_NAMED])}")
        remedy = "remove what uses it first, or keep it in the environment that is promoted"
        refuse_uses(self._uses(), "the promotion removes", remedy)
        drift = drift_of(self._db, self.target)
        if drift.drifted and not (accept_drift or self.is_restoration):
            raise Drifted(
                f"`{self.target.id}` was edited in place since its last promotion ({len(drift.changes)} changes); take"
                " them over into the environment that is promoted, or promote with `accept_drift` to overwrite them",
                drift,
            )
        return drift

    def changes(self) -> ReplacementResult:
        """Returns the counts of changes, and writes nothing."""
        return self._replacement().preview(self._origin(""))

    def commit(self, actor: Actor, time: str, id: str, asked: RequestedBy) -> ReplacementResult:
        """Write it as a revision of `actor` at `time` (RFC 3339), of the promotion `id`, in a write transaction."""
        origin = replace(self._origin(id), promoted_by=asked.by, note=asked.note)
        done = self._replacement().commit(actor, time, origin)
        provenance = msgspec.json.encode(origin.provenance()).decode()
        self._db.execute(
            "UPDATE environments SET baseline = ?, provenance = ? WHERE number = ?",
            (origin.baseline, provenance, self.target.number),
        )
        return done

    def _uses(self) -> Iterator[Use]:
        """Yields the facts of the target that refer to what goes."""
        before, after = self.before.stored, self.after.stored
        carried = {(ElementKind.ROLES, (one.old,)) for one in self.renames}
        gone = ((kind, key) for kind in before for key in before[kind] if key not in after[kind])
        removed = (one for one in gone if one not in carried)
        old, new = (model.by_key(ElementKind.RESOURCE_TYPES) for model in (self.before, self.after))
        lost = lost_actions((old.get(key), type) for key, type in new.items())
        return uses(self._db, self.target.number, removed, lost)

    def _origin(self, id: str) -> Origin:
        source, after = self.source, self.target.revision + 1
        if self.is_restoration:
            earlier = baseline(self._db, self.target, source.revision)
            # What had drifted at the restored revision has drifted again.
            after = after if earlier is None else earlier.baseline
        return Origin(id, *source, self.after.digest, after, self.is_restoration)

    def _replacement(self) -> Replacement:
        """Returns the difference: the prepared one, for one use, if the database is still as it was."""
        found, self._difference = self._difference, None
        if found is not None and found.is_current(self._db, self.target):
            return found
        if not self._assignments:
            return Replacement(self._db, self.target, self.after, POLICY_LISTS, by_meaning=True)
        kind = ElementKind.ASSIGNMENTS
        facts = {key: now for key, (_, now) in self._assignments.items()}
        written = PolicyModel({**self.after.stored, kind: facts}, self.after.lists)
        return Replacement(self._db, self.target, written, (*POLICY_LISTS, KINDS[kind]), by_meaning=True)


def _lists(db: Connection, target: Environment, after: PolicyModel) -> tuple[ElementKind, ...]:
    """Returns the lists that the target's document shows: those it has, and those that get elements."""
    put = put_lists(db, target)
    return (*put, *(kind.name for kind in POLICY_LISTS if after.stored[kind.name] and kind.name not in put))
