"""Changes of environments, each with its audit entry: to make one, to change its settings, to delete it."""

from collections.abc import Callable

from .actor import ADMINISTRATORS, Actor, administrator_of
from .audit.entries import AuditEntry, append
from .audit.events import Event
from .credentials.credential_recheck import recheck_credential
from .database.connection import Connection
from .database.connections import StoreConnections
from .environment_ids import DEFAULT
from .environments import (
    Environment,
    EnvironmentChange,
    add_environment,
    all_environments,
    change_environment,
    environment_within,
    loosens,
    remove_environment,
)
from .errors import NotPermitted, OutOfBounds

_TELLS = "its settings say who may change its policies"


def ensure_default(connections: StoreConnections, time: Callable[[float | None], str]) -> None:
    """Add the environment `default` to a store without environments. `time` returns the time in RFC 3339."""
    with connections.reading() as db:
        fresh = not all_environments(db)
    if fresh:
        with connections.writing() as db:
            if not all_environments(db):
                add_environment(db, DEFAULT, time(None), EnvironmentChange(protected=True))


def create(db: Connection, actor: Actor, id: str, settings: EnvironmentChange, time: str) -> Environment:
    """Make an environment without a model at `time` (RFC 3339).

    Raises Rejected for a bad id, Conflict if the id exists, OutOfBounds for a credential that is bound.
    """
    recheck_credential(db, actor)
    if actor.bounds is not None:
        raise OutOfBounds("a credential that is bound to environments can't make another one")
    made = add_environment(db, id, time, settings)
    details = {"protected": made.protected} | settings.given()
    append(db, AuditEntry.of(time, actor, Event.ENVIRONMENT_CREATED, details, environment=made))
    return made


def change(db: Connection, actor: Actor, id: str, wanted: EnvironmentChange, time: str) -> Environment:
    """Change the settings of an environment at `time` (RFC 3339).

    Raises NotFound, Protected for the default, which stays protected, and NotPermitted for taking away that it
    changes by promotion only, or that promotions wait for an approval or for tests.
    """
    recheck_credential(db, actor)
    before = environment_within(db, id, actor.bounds)
    if loosens(before, wanted):
        _need_administrator(actor, f"only the administrator's key can loosen `{id}`: {_TELLS}")
    after = change_environment(db, id, wanted)
    if after != before:
        details = {name: value for name, value in wanted.given().items() if getattr(before, name) != value}
        append(db, AuditEntry.of(time, actor, Event.ENVIRONMENT_CHANGED, details, environment=after))
    return after


def delete(db: Connection, actor: Actor, id: str, time: str) -> None:
    """Delete an environment and everything in it at `time` (RFC 3339).

    Raises NotFound, Protected for the default and for protected ones, and NotPermitted for one that changes by
    promotion only, with approvals or with tests: to make it again would take these settings away.
    """
    recheck_credential(db, actor)
    gone = environment_within(db, id, actor.bounds)
    if gone.promotion_only or gone.tests_must_pass or gone.approvals:
        _need_administrator(actor, f"only the administrator's key can delete `{id}`: {_TELLS}")
    remove_environment(db, id)
    append(db, AuditEntry.of(time, actor, Event.ENVIRONMENT_DELETED, environment=gone))


def _need_administrator(actor: Actor, message: str) -> None:
    if administrator_of(actor.name) not in ADMINISTRATORS:
        raise NotPermitted(message)
