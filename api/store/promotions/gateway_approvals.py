"""Changes of gateway settings that wait for an approval: their rows are those of promotions."""

import hashlib
from typing import Final
from uuid import uuid4

import msgspec
from msgspec.structs import replace

from ....bundles.routing.settings import GatewaySettings
from ..actor import Actor
from ..database.connection import Connection
from ..environments import Environment
from ..errors import Conflict
from ..gateway_changes import change
from ..gateway_settings import read_gateway
from ..history.change_log import GATEWAY, change_of
from .promotion import GatewayDifference, Promotion
from .records import add_record, waiting_content

_encode: Final = msgspec.json.Encoder(order="sorted").encode
_decode: Final = msgspec.json.Decoder(GatewaySettings | None).decode


def request_change(
    db: Connection, actor: Actor, target: Environment, settings: GatewaySettings | None, time: str
) -> Promotion:
    """Returns a change of the settings, or their removal, which waits from now on. Raises Conflict if too many wait."""
    before = read_gateway(target)
    counts = {GATEWAY: {"added": 0, "changed": 0, "removed": 0} | {change_of(before, settings): 1}}
    here = target.id, target.uuid, target.epoch, target.revision
    digests = _digest(settings), _digest(before)
    made = Promotion(str(uuid4()), "gateway", "pending", *here, *digests, actor.name, time, counts)
    add_record(db, target, made, _encode(settings))
    return made


def waiting_change(db: Connection, target: Environment, waiting: Promotion) -> GatewayDifference:
    """Returns the settings of today, and those that wait. Raises Conflict for a change that waits no more."""
    return GatewayDifference(read_gateway(target), _decode(waiting_content(db, waiting)))


def carry_out(db: Connection, actor: Actor, target: Environment, waiting: Promotion, time: str) -> Promotion:
    """Returns the approved change, which is in force. Raises Conflict if other settings were replaced meanwhile."""
    shown = waiting_change(db, target, waiting)
    if _digest(shown.before) != waiting.replaces:
        raise Conflict(f"the gateway settings of `{target.id}` have changed since this was asked for; reject it")
    changed = change(db, actor, target, shown.after, time)
    return replace(waiting, status="done", revision=changed.revision, decided_by=actor.name, decided_at=time)


def _digest(settings: GatewaySettings | None) -> str:
    return hashlib.sha256(_encode(settings)).hexdigest()
