"""The engine of a request: that of its environment, if the credential is not bound to other environments."""

import falcon.asgi

from ...runtime import Engine
from ..store.environments import refuse_outside
from .live_engines import EngineOf


def engine_for(req: falcon.asgi.Request, engine_of: EngineOf, env: str) -> Engine:
    """Returns the engine of the environment `env` for the sender of `req`.

    The guard has checked the environment's id already. But since then another environment may have got this id, and a
    credential is bound to environments, not to ids. Raises OutOfBounds, and what `engine_of` raises.
    """
    engine = engine_of(env)
    bounds = req.context.credential.bounds
    if bounds is not None:
        environment = engine.manifest.environment
        refuse_outside(None if environment is None else environment.uuid, bounds)
    return engine
