"""The engine of a request: that of its environment, if the credential is not bound to other environments."""

from typing import Final

import falcon.asgi

from ....runtime import Engine
from ...store.environment_ids import Bounds, refuse_outside
from ...store.errors import Stale
from .engine_access import EngineOf, Updating

MOST_WAITS: Final = 2
"""The number of updates of an engine that a request waits for. The second began after the request came: it has
everything that the client knows of.
"""


async def engine_for(req: falcon.asgi.Request, engine_of: EngineOf, env: str) -> Engine:
    """Returns the engine of the environment `env` for the sender of `req`, once it is up to date.

    The guard has checked the environment's id already. But since then another environment may have got this id, and a
    credential is bound to environments, not to ids. Raises OutOfBounds, and what `LiveEngines.engine` raises.
    """
    engine = await ready_engine(engine_of, env)
    refuse_other(engine, req.context.credential.bounds)
    return engine


async def ready_engine(engine_of: EngineOf, env: str) -> Engine:
    """Returns the engine of an environment, once it is up to date. Raises what `LiveEngines.engine` raises."""
    for _ in range(MOST_WAITS):
        try:
            return engine_of(env)
        except Updating as ex:
            await ex.wait()
    try:
        return engine_of(env)
    except Updating as ex:
        if ex.engine is None:
            raise Stale(f"`{env}` is still being prepared") from None
        return ex.engine


def refuse_other(engine: Engine, bounds: Bounds) -> None:
    """Raises OutOfBounds if a credential with these bounds may not ask this engine."""
    if bounds is not None:
        environment = engine.manifest.environment
        refuse_outside(None if environment is None else environment.uuid, bounds)
