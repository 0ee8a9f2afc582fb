"""The interface to promotions: preview, promote, restore, approve, reject, and list."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final
from uuid import uuid4

import msgspec
from msgspec.structs import asdict, replace

from ....bundles.routing.settings import GatewaySettings
from ..actor import Actor
from ..audit.entries import AuditEntry, append
from ..audit.events import Event
from ..credentials.credential_recheck import recheck_credential
from ..credentials.makers import refuse_approver
from ..database.connection import Connection
from ..database.connections import StoreConnections
from ..environment_ids import Bounds, refuse_outside
from ..environments import Environment, environment_within
from ..errors import BodyFault, Conflict, NotPermitted, Rejected
from ..gateway_changes import change, refuse_settings
from ..gateway_settings import read_gateway
from ..models.model_pairs import ModelPair
from .differences import differences, shown
from .gateway_approvals import carry_out, request_change, waiting_change
from .model_drift import drift_of
from .policy_model import PolicyModel, policy_model
from .policy_replacement import PolicyReplacement, PolicySource, RequestedBy
from .promotion import Drift, ElementDifference, Preview, Promotion, PromotionDetail, Wanted
from .records import NOT_COMPARED, add_record, end_waiting, record_of, records, stored_people, waiting_model
from .renamed_roles import refuse_renames, renamed_assignments, renamed_differences
from .tests_gate import Gate, Tested, is_open, refuse_failing, run_gate, to_test

MOST_GATES: Final = 4
"""The times that stored tests run for one promotion, if its environment is changed meanwhile."""


class Promotions:
    """The promotions of a store. Every method raises StoreUnavailable, as those of the store do.

    `env` is the target's id. `people` is JSON of who gains and who loses, for the record. A caller that is bound to
    environments gets OutOfBounds unless both ends are among them.
    """

    def __init__(self, connections: StoreConnections, now: Callable[[], str]):
        """`now` returns the time in RFC 3339."""
        self._connections, self._now = connections, now

    def preview(self, env: str, actor: Actor, wanted: Wanted) -> Preview:
        """Returns what a promotion would do.

        Raises NotFound, Rejected if it is from the environment itself, and Conflict if another digest was expected.
        """
        with self._connections.reading() as db:
            return _previewed(_promotion(db, env, actor, wanted), wanted)

    def preview_restoration(self, env: str, actor: Actor, revision: int, wanted: Wanted) -> Preview:
        """Returns what going back to a revision would do. Raises NotFound, Conflict if another digest was expected."""
        with self._connections.reading() as db:
            return _previewed(_restoration(db, env, actor, revision), wanted)

    def models(self, env: str, actor: Actor, wanted: Wanted) -> ModelPair | None:
        """Returns the target's whole model before and after a promotion, or None if something uses what goes.

        Raises what `preview` raises.
        """
        with self._connections.reading() as db:
            return _promotion(db, env, actor, wanted).models()

    def models_of_restoration(self, env: str, actor: Actor, revision: int) -> ModelPair | None:
        """Returns the same for going back to a revision. Raises NotFound."""
        with self._connections.reading() as db:
            return _restoration(db, env, actor, revision).models()

    def models_of_waiting(self, env: str, actor: Actor, id: str) -> ModelPair | None:
        """Returns the same for a promotion that waits. None too if it waits no more, or is no promotion."""
        with self._connections.reading() as db:
            target, waiting = self._waiting(db, env, actor, id)
            if waiting.status != "pending" or waiting.kind == "gateway":
                return None
            return _carried_out(db, target, waiting).models()

    def promote(
        self,
        env: str,
        actor: Actor,
        wanted: Wanted,
        people: bytes = NOT_COMPARED,
        gate: Gate | None = None,
    ) -> Promotion:
        """Take over the policy model of the environment `wanted.source`, or let that wait for an approval.

        Raises NotFound, and Rejected if it is from the environment itself. Raises Drifted for a drift that is not
        accepted, and Conflict if something still uses what is removed, if another digest was expected, or if stored
        tests fail that must pass. Then there must be a `gate`.
        """
        for is_last in (False,) * (MOST_GATES - 1) + (True,):
            prepared, tested = self._prepared(lambda db: _promotion(db, env, actor, wanted), gate)
            with self._writing(actor) as db:
                takeover = _promotion(db, env, actor, wanted, prepared)
                if is_last or is_open(db, takeover, tested):
                    return self._take_over(db, actor, takeover, wanted, people, tested)
        raise AssertionError("the last one is taken over or refused")

    def restore(
        self,
        env: str,
        actor: Actor,
        revision: int,
        wanted: Wanted,
        administers: bool = True,
        people: bytes = NOT_COMPARED,
    ) -> Promotion:
        """Go back to the policy model of an earlier revision, or let that wait for an approval.

        Raises NotFound, Conflict, and NotPermitted if the environment changes by promotion only and the actor does not
        administer it.
        """
        prepared, _ = self._prepared(lambda db: _restoration(db, env, actor, revision))
        with self._writing(actor) as db:
            if not administers and environment_within(db, env, actor.bounds).promotion_only:
                raise NotPermitted(f"`{env}` changes by promotion only, which needs the scope `admin`")
            return self._take_over(db, actor, _restoration(db, env, actor, revision, prepared), wanted, people)

    def change_gateway(self, env: str, actor: Actor, settings: GatewaySettings | None) -> Environment | Promotion:
        """Replace the gateway settings, or remove them with None, or let that wait for an approval.

        Equal settings make no revision. Raises what `refuse_settings` raises, and Conflict if too many wait.
        """
        with self._writing(actor) as db:
            target, time = environment_within(db, env, actor.bounds), self._now()
            refuse_settings(target, settings)
            if settings == read_gateway(target):
                return target
            if not target.approvals:
                return change(db, actor, target, settings, time)
            made = request_change(db, actor, target, settings, time)
            wanted = {"before": msgspec.to_builtins(read_gateway(target)), "after": msgspec.to_builtins(settings)}
            self._audit(db, actor, target, Event.PROMOTION_REQUESTED, made, wanted)
            return made

    def approve(
        self,
        env: str,
        actor: Actor,
        id: str,
        digest: str | None = None,
        people: bytes = NOT_COMPARED,
        gate: Gate | None = None,
    ) -> Promotion:
        """Carry out a promotion that waits: exactly what was shown, by its `digest` if it is given.

        Raises NotFound, NotPermitted for the actor who asked for it, and Conflict if it waits no more, if the target
        has changed since, if the digest is another one, or if stored tests fail that must pass.
        """
        tested = self._tested_waiting(env, actor, id, gate)
        with self._writing(actor) as db:
            target, waiting = self._waiting(db, env, actor, id)
            refuse_approver(db, actor, waiting.promoted_by)
            _expect(waiting.digest, digest)
            if waiting.kind == "gateway":
                self._audit(db, actor, target, Event.PROMOTION_APPROVED, waiting)
                changed = carry_out(db, actor, target, waiting, self._now())
                end_waiting(db, changed)
                return changed
            takeover = _carried_out(db, target, waiting)
            if takeover.before.digest != waiting.replaces:
                raise Conflict(f"`{env}` has changed since this was asked for; reject it, and ask for a new promotion")
            takeover.refuse(accept_drift=True)  # what had drifted was shown, and nothing has since
            refuse_failing(db, takeover, tested)
            done = takeover.commit(actor, self._now(), id, RequestedBy(waiting.promoted_by, waiting.note))
            made = replace(
                waiting, status="done", revision=done.revision, decided_by=actor.name, decided_at=self._now()
            )
            end_waiting(db, made, people)
            self._audit(db, actor, target, Event.PROMOTION_APPROVED, made)
            self._audit(db, actor, target, _done_event(made), made)
            return made

    def reject(self, env: str, actor: Actor, id: str, reason: str | None = None) -> Promotion:
        """End a promotion that waits. The actor who asked for it may do so too. Raises NotFound, Conflict."""
        with self._writing(actor) as db:
            target, waiting = self._waiting(db, env, actor, id)
            if waiting.status != "pending":
                raise Conflict(f"the promotion is {waiting.status} already")
            ended = replace(waiting, status="rejected", decided_by=actor.name, decided_at=self._now(), reason=reason)
            end_waiting(db, ended)
            self._audit(db, actor, target, Event.PROMOTION_REJECTED, ended)
            return ended

    def get(self, env: str, id: str, bounds: Bounds = None) -> PromotionDetail:
        """Returns a promotion, with the exact changes of a pending one. Raises NotFound."""
        with self._connections.reading() as db:
            target = environment_within(db, env, bounds)
            found = record_of(db, target, id)
            if found.status != "pending":
                return PromotionDetail(**asdict(found))
            if found.kind == "gateway":
                return PromotionDetail(**asdict(found), gateway=waiting_change(db, target, found))
            elements, truncated = shown(_waiting_differences(db, target, found))
            return PromotionDetail(**asdict(found), elements=elements, truncated=truncated)

    def people(self, env: str, id: str, bounds: Bounds = None) -> bytes:
        """Returns who gained and who lost by a promotion, as the JSON that it was given, or `null`. Raises NotFound."""
        with self._connections.reading() as db:
            return stored_people(db, record_of(db, environment_within(db, env, bounds), id))

    def list(
        self, env: str, limit: int, cursor: str | None = None, bounds: Bounds = None, pending: bool = False
    ) -> tuple[list[Promotion], str | None]:
        """Returns promotions, newest first, and the cursor of the next page, or None at the end. Raises BadQuery.

        With `pending`, only those that wait for an approval.
        """
        with self._connections.reading() as db:
            return records(db, environment_within(db, env, bounds), limit, cursor, pending)

    def drift(self, env: str, bounds: Bounds = None) -> Drift:
        """Returns what was edited in place since the last promotion. Raises NotFound."""
        with self._connections.reading() as db:
            return drift_of(db, environment_within(db, env, bounds))

    def policy_model(self, env: str, bounds: Bounds = None) -> tuple[Environment, PolicyModel]:
        """Returns an environment and its policy model at the same revision. Raises NotFound."""
        with self._connections.reading() as db:
            found = environment_within(db, env, bounds)
            return found, policy_model(db, found)

    def _tested_waiting(self, env: str, actor: Actor, id: str, gate: Gate | None) -> Tested | None:
        with self._connections.reading() as db:
            target, waiting = self._waiting(db, env, actor, id)
            if waiting.status != "pending" or waiting.kind == "gateway":
                return None
            wanted = to_test(db, _carried_out(db, target, waiting))
        return run_gate(wanted, gate)

    def _prepared(
        self, find: Callable[[Connection], PolicyReplacement], gate: Gate | None = None
    ) -> tuple[PolicyReplacement, Tested | None]:
        """Returns a takeover with both policy models read, their digests and difference found, and its tests run.

        PERF: that is most of a promotion's work, and no other write waits for it.
        """
        with self._connections.reading() as db:
            found = find(db)
            found.prepare()
            wanted = to_test(db, found)
        return found, run_gate(wanted, gate)

    def _take_over(
        self,
        db: Connection,
        actor: Actor,
        takeover: PolicyReplacement,
        wanted: Wanted,
        people: bytes,
        tested: Tested | None = None,
    ) -> Promotion:
        _expect(takeover.after.digest, wanted.expect_digest)
        drift, target, time, id = takeover.refuse(wanted.accept_drift), takeover.target, self._now(), str(uuid4())
        refuse_failing(db, takeover, tested)
        waits = target.approvals > 0
        done = takeover.changes() if waits else takeover.commit(actor, time, id, RequestedBy(actor.name, wanted.note))
        made = Promotion(
            id,
            "restoration" if takeover.is_restoration else "promotion",
            "pending" if waits else "done",
            *takeover.source,
            takeover.after.digest,
            takeover.before.digest,
            actor.name,
            time,
            done.changes,
            None if waits else done.revision,
            wanted.note,
            drift.changes or None,
            renames=takeover.renames,
            errors=takeover.errors if takeover.is_restoration else (),
        )
        add_record(db, target, made, takeover.after.packed() if waits else None, people)
        self._audit(db, actor, target, Event.PROMOTION_REQUESTED if waits else _done_event(made), made)
        return made

    def _waiting(self, db: Connection, env: str, actor: Actor, id: str) -> tuple[Environment, Promotion]:
        target = environment_within(db, env, actor.bounds)
        found = record_of(db, target, id)
        refuse_outside(found.uuid, actor.bounds)
        return target, found

    def _audit(
        self,
        db: Connection,
        actor: Actor,
        target: Environment,
        event: Event,
        promotion: Promotion,
        more: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        details = {
            "promotion": promotion.id,
            "from": promotion.environment,
            "from_epoch": promotion.epoch,
            "from_revision": promotion.source_revision,
            "digest": promotion.digest,
            "revision": promotion.revision,
            "note": promotion.note,
            "accepted_drift": [f"{one.kind}/{one.id}" for one in promotion.accepted_drift or ()],
            "promoted_by": promotion.promoted_by,
            "reason": promotion.reason,
            "renames": [{"from": one.old, "to": one.new} for one in promotion.renames],
        }
        told = {name: value for name, value in details.items() if value not in (None, [])} | dict(more)
        append(db, AuditEntry.of(self._now(), actor, event, told, environment=target))

    @contextmanager
    def _writing(self, actor: Actor) -> Iterator[Connection]:
        with self._connections.writing() as db:
            recheck_credential(db, actor)
            yield db


def _promotion(
    db: Connection, env: str, actor: Actor, wanted: Wanted, prepared: PolicyReplacement | None = None
) -> PolicyReplacement:
    """Returns the takeover, `prepared` if neither end has changed since."""
    target = environment_within(db, env, actor.bounds)
    source = environment_within(db, wanted.source, actor.bounds)
    if source.uuid == target.uuid:
        message = "an environment can't be promoted to itself"
        raise Rejected(
            (BodyFault("bad-promotion", "$.from", message, "to go back to an earlier revision, restore it"),)
        )
    ends = target, _as_source(source, source.revision)
    if prepared is not None and (prepared.target, prepared.source) == ends:
        return prepared.within(db)
    takeover = PolicyReplacement(db, *ends, policy_model(db, source), wanted.renames)
    refuse_renames(wanted.renames, takeover.before, takeover.after)
    return takeover


def _carried_out(db: Connection, target: Environment, waiting: Promotion) -> PolicyReplacement:
    """Returns the takeover of a promotion that waits. Its source may be gone or changed: what was shown is stored."""
    source = PolicySource(waiting.environment, waiting.uuid, waiting.epoch, waiting.source_revision)
    return PolicyReplacement(db, target, source, waiting_model(db, waiting), waiting.renames)


def _waiting_differences(db: Connection, target: Environment, waiting: Promotion) -> Iterator[ElementDifference]:
    """Yields what a promotion that waits would change now."""
    if waiting.renames:
        yield from renamed_differences(renamed_assignments(db, target, waiting.renames))
    yield from differences(policy_model(db, target), waiting_model(db, waiting))


def _restoration(
    db: Connection, env: str, actor: Actor, revision: int, prepared: PolicyReplacement | None = None
) -> PolicyReplacement:
    """Returns the takeover, `prepared` if the environment has not changed since."""
    target = environment_within(db, env, actor.bounds)
    if prepared is not None and prepared.target == target:
        return prepared.within(db)
    return PolicyReplacement(db, target, _as_source(target, revision), policy_model(db, target, revision))


def _previewed(takeover: PolicyReplacement, wanted: Wanted) -> Preview:
    _expect(takeover.after.digest, wanted.expect_digest)
    return takeover.preview()


def _as_source(environment: Environment, revision: int) -> PolicySource:
    return PolicySource(environment.id, environment.uuid, environment.epoch, revision)


def _expect(digest: str, expected: str | None) -> None:
    if expected is not None and expected != digest:
        raise Conflict(f"the result would have the digest {digest}, not the expected one; look at a new preview")


def _done_event(promotion: Promotion) -> Event:
    return Event.MODEL_RESTORED if promotion.kind == "restoration" else Event.MODEL_PROMOTED
