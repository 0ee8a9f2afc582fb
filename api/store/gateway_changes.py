"""Changes of an environment's gateway settings: checked, as a revision, with an audit entry."""

import msgspec

from ...bundles.routing.settings import GatewaySettings, settings_faults
from ...bundles.wording import show_path
from .actor import Actor
from .audit.entries import AuditEntry, append
from .audit.events import Event
from .database.connection import Connection
from .environments import Environment, environment_by_id
from .errors import BodyFault, NotFound, Rejected
from .gateway_settings import read_gateway, store_gateway
from .history.change_log import ChangeLogWriter, change_of
from .history.delta_states import delta_of


def refuse_settings(environment: Environment, settings: GatewaySettings | None) -> None:
    """Raises Rejected for settings with faults, and NotFound for the removal of none."""
    if settings is None and environment.gateway is None:
        raise no_gateway(environment.id)
    faults = () if settings is None else tuple(settings_faults(settings))
    if faults:
        raise Rejected(tuple(BodyFault("bad-gateway", show_path(one.path), one.message) for one in faults))


def change(
    db: Connection, actor: Actor, environment: Environment, settings: GatewaySettings | None, time: str
) -> Environment:
    """Replace the settings at `time` (RFC 3339), or remove them with None.

    They are a part of what engines and agents serve, so a change is a revision like one of the model.
    """
    before = read_gateway(environment)
    store_gateway(db, environment.number, settings)
    log = ChangeLogWriter(db, environment)
    log.count_gateway(change_of(before, settings))
    log.end(time, actor, delta_of(db, environment.number, environment.revision + 1, (), routing=True))
    changed = environment_by_id(db, environment.id)
    told = {"before": msgspec.to_builtins(before), "after": msgspec.to_builtins(settings)}
    append(db, AuditEntry.of(time, actor, Event.GATEWAY_CHANGED, told, environment=changed))
    return changed


def no_gateway(env: str) -> NotFound:
    """Returns the error if an environment has no gateway settings."""
    return NotFound(f"the environment `{env}` has no gateway settings")
