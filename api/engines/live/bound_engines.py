"""The engine of a request: that of its environment, if the credential is not bound to other environments."""

import asyncio
from time import monotonic
from typing import Final

import falcon.asgi

from ....runtime import Engine
from ...http.rejections import NotYet
from ...http.revision_tokens import LEAST_REVISION, read_token, refuse_unlike
from ...store.environment_ids import Bounds, refuse_outside
from ...store.errors import Stale
from .engine_access import EngineOf, Updating

MOST_WAITS: Final = 2
"""The number of updates of an engine that a request waits for. The second began after the request came: it has
everything that the client knows of.
"""

LONGEST_WAIT: Final = 1.0
"""The seconds that a request waits for the revision that it asks for."""

_PAUSE: Final = 0.02


async def engine_for(req: falcon.asgi.Request, engine_of: EngineOf, env: str) -> Engine:
    """Returns the pinned engine of the environment `env` for the sender of `req`, once it is up to date.

    It is at the revision that `Writ-Min-Revision` asks for, or a newer one. The answer tells its revision.

    The guard has checked the environment's id already. But since then another environment may have got this id, and a
    credential is bound to environments, not to ids. Raises OutOfBounds, NotYet, OtherRevisions, BadQuery for
    a header that is no token, and what `LiveEngines.engine` raises.
    """
    bounds, least = req.context.credential.bounds, req.get_header(LEAST_REVISION)
    engine = await _bound_engine(engine_of, env, bounds)
    if least is not None:
        token, end = read_token(least.strip()), monotonic() + LONGEST_WAIT
        refuse_unlike(engine, token)
        while engine.revision < token.revision:
            if monotonic() > end:
                raise NotYet(f"this server has revision {engine.revision}, not {token.revision} yet; try again")
            await asyncio.sleep(_PAUSE)
            engine = await _bound_engine(engine_of, env, bounds)
            refuse_unlike(engine, token)
    req.context.engine = engine
    return engine


async def _bound_engine(engine_of: EngineOf, env: str, bounds: Bounds) -> Engine:
    engine = (await ready_engine(engine_of, env)).held()
    refuse_other(engine, bounds)
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
