"""The engine that a request may ask: that of its environment, as long as its credential is bound to no other ones."""

import falcon.asgi

from ...runtime import Engine
from ..store.environments import refuse_outside
from .live_engines import EngineOf


def engine_for(req: falcon.asgi.Request, engine_of: EngineOf, env: str) -> Engine:
    """The engine of the environment `env`, for whoever sent `req`, which the guard let through.

    The guard looked a moment ago; another environment may have the name by now, and a credential is bound to
    environments, not to names. Raises what `engine_of` raises, OutOfBounds.
    """
    engine = engine_of(env)
    bounds = req.context.credential.bounds
    if bounds is not None:
        environment = engine.manifest.environment
        refuse_outside(None if environment is None else environment.uuid, bounds)
    return engine
