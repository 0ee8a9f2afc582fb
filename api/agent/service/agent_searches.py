"""The searches of an agent: filters. The rest needs the registry, which only the service has."""

from typing import Final

import falcon.asgi

from ....runtime.requests.searches import FILTER, ResourceSearch, read_resource_search
from ....runtime.requests.unavailable import SearchUnavailable
from ...endpoints.decisions.deciding import Deciding
from ...engines.live.bound_engines import engine_for
from ...engines.live.engine_access import EngineOf
from ...http.bodies import ENCODER, Bodies
from ...store.environment_ids import DEFAULT
from ...telemetry.decision_log.decision_log import Log, asker_of, begin
from ...telemetry.decision_log.entry import EntryKind
from ...telemetry.metrics.counts import Counts

_REMEDY: Final = "an agent has no registry; ask the service"


class Filters:
    """`POST /access/v1/search/resource`, for filters alone."""

    decides = True

    def __init__(
        self, engine_of: EngineOf, bodies: Bodies, counts: Counts, decision_log: Log, deciding: Deciding
    ) -> None:
        self._engine_of, self._bodies, self._counts, self._log = engine_of, bodies, counts, decision_log
        self._deciding = deciding

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str = DEFAULT) -> None:
        """Answer 200 with the filter and its context (contract 2.6). Raises SearchUnavailable (contract 7.3)."""
        body = await self._bodies.read_object(req)
        search = _filter_search(body)
        engine = await engine_for(req, self._engine_of, env)
        with self._counts.counting_faults(engine):
            engine.refuse_faults("resource", body)
        moment = begin(self._log, req)
        found = engine.cached_filter(search, moment.now)
        self._counts.looked_up_filter(found=found is not None)
        if found is None:
            found = await self._deciding.in_thread(lambda: engine.filter_for(search, moment.now))
        self._counts.searched(engine, "resource")
        resp.data = ENCODER.encode(found)
        self._log.keep(EntryKind.SEARCH, moment, engine, req.context.body, resp.data, asker_of(req))


class Unavailable:
    """A search that an agent does not answer."""

    def __init__(self, bodies: Bodies) -> None:
        self._bodies = bodies

    async def on_post(self, req: falcon.asgi.Request, _resp: falcon.asgi.Response, **_: object) -> None:
        """Raises SearchUnavailable (contract 7.3)."""
        await self._bodies.read_object(req)
        raise SearchUnavailable(f"this search is not available here: {_REMEDY}")


def _filter_search(body: dict[str, object]) -> ResourceSearch:
    search = read_resource_search(body)
    if search.options.returns != FILTER:
        raise SearchUnavailable(f'only filters are available here, with `"options": {{"return": "filter"}}`: {_REMEDY}')
    return search
