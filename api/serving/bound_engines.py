"""The engine of a request: that of its environment, if the credential is not bound to other environments."""

import falcon.asgi

from ...runtime import Engine
from ..store.credential_rows import Bounds
from ..store.environments import refuse_outside
from .live_engines import EngineOf


def engine_for(req: falcon.asgi.Request, engine_of: EngineOf, env: str) -> Engine:
    """Returns the engine of the environment `env` for the sender of `req`.

    The guard has checked the environment's id already. But since then another environment may have got this id, and a
    credential is bound to environments, not to ids. Raises OutOfBounds, and what `engine_of` raises.
    """
    engine = engine_of(env)
    refuse_other(engine, req.context.credential.bounds)
    return engine


def refuse_other(engine: Engine, bounds: Bounds) -> None:
    """Raises OutOfBounds if a credential with these bounds may not ask this engine."""
    if bounds is not None:
        environment = engine.manifest.environment
        refuse_outside(None if environment is None else environment.uuid, bounds)
