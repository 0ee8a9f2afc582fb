"""The warnings about an environment's model: `/v1/environments/{env}/lints`."""

import asyncio
from collections import OrderedDict
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

import falcon
import falcon.asgi

from ...engines.live.store_work import StoreWork
from ...http.openapi.operation import Answer, Operation
from ...http.queries import known_parameters
from ...store.environments import Environment
from .linting import LINTS, MOST_WARNINGS, LintRequest, LintsAnswer

MOST_REMEMBERED: Final = 100
"""Environments whose warnings a worker remembers."""

REMEMBERED_SECONDS: Final = 3_600
"""The longest time, in seconds, for which warnings are remembered: whether something has expired depends on the time.
"""

GET: Final = Operation(
    "listLints",
    "Insight",
    "List the warnings of `writ check` about the stored model",
    {200: Answer("The warnings.", LintsAnswer)},
    f"There are {MOST_WARNINGS} at most. They are remembered until the model changes, and for an hour at most.",
)


class _Remembered(NamedTuple):
    """An answer, the epoch and the revision that it is of, and when it was asked for, in epoch seconds."""

    text: bytes
    epoch: int
    revision: int
    asked: float


class ModelLints:
    """The warnings about a model. Those who wait for the same ones wait for each other."""

    def __init__(self, work: StoreWork) -> None:
        self._work = work
        self._remembered: OrderedDict[str, _Remembered] = OrderedDict()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200."""
        known_parameters(req)
        bounds = req.context.credential.bounds
        environment = await self._work.read(self._work.store.environment, env, bounds)
        known = self._known(environment)
        if known is None:
            async with self._turns.setdefault(environment.uuid, asyncio.Lock()):
                known = self._known(environment) or await self._find(environment)
        resp.data = known

    def _known(self, environment: Environment) -> bytes | None:
        """Returns the remembered warnings, if they are of this revision, or of a newer one."""
        known = self._remembered.get(environment.uuid)
        if known is None or known.epoch != environment.epoch or known.revision < environment.revision:
            return None
        return known.text if abs(self._work.now() - known.asked) < REMEMBERED_SECONDS else None

    async def _find(self, environment: Environment) -> bytes:
        now = self._work.now()
        found = await self._work.jobs.run(LINTS, LintRequest(environment.id, environment.uuid, now))
        text = bytes(found.answer)
        self._remembered[environment.uuid] = _Remembered(text, found.epoch, found.revision, now)
        self._remembered.move_to_end(environment.uuid)
        if len(self._remembered) > MOST_REMEMBERED:
            self._remembered.popitem(last=False)
        return text
