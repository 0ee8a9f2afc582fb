"""The gateway settings of an environment in the store, as JSON beside the environment."""

import msgspec

from ...bundles.routing.settings import GatewaySettings
from .database.connection import Connection
from .database.formats.step import GATEWAY
from .database.sharing.unread import refuse_unread
from .environments import Environment

_decode = msgspec.json.Decoder(GatewaySettings).decode
_encode = msgspec.json.Encoder().encode


def read_gateway(environment: Environment) -> GatewaySettings | None:
    """Returns the settings of an environment, or None if it has none."""
    return None if environment.gateway is None else _decode(environment.gateway)


def stored_gateway(db: Connection, environment: int) -> GatewaySettings | None:
    """Returns the settings that the environment of that number has now, or None if it has none."""
    (text,) = db.execute("SELECT gateway FROM environments WHERE number = ?", (environment,)).fetchone()
    return None if text is None else _decode(text)


def store_gateway(db: Connection, environment: int, settings: GatewaySettings | None) -> None:
    """Store the settings of the environment of that number, or None to remove them.

    Raises Conflict for what servers of an older format, which share the store, can't read.
    """
    refuse_unread(db, GATEWAY, msgspec.to_builtins(settings))
    text = None if settings is None else _encode(settings).decode()
    db.execute("UPDATE environments SET gateway = ? WHERE number = ?", (text, environment))
