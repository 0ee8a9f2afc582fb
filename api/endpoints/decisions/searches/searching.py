"""The shared parts of the three searches: engines, store, pages and limits."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, TypeVar

import falcon.asgi

from .....runtime import Engine
from .....runtime.requests.searches import ActionSearch, ResourceSearch, SubjectSearch
from .....runtime.rules.array_elements import KeptKeys
from .....runtime.strictness.known_members import RequestKind
from ....engines.live.bound_engines import engine_for
from ....engines.live.engine_access import EngineOf
from ....engines.live.store_work import StoreWork
from ....http.bodies import Bodies
from ....settings.settings import HttpLimits
from ....telemetry.decision_log.decision_log import NO_LOG, Log, asker_of, begin
from ....telemetry.decision_log.entry import EntryKind, Moment
from ....telemetry.metrics.counts import Counts
from .page_tokens import PageTokens, fingerprint
from .search_pages import Pages

_P = ParamSpec("_P")
_T = TypeVar("_T")

AnySearch = ResourceSearch | SubjectSearch | ActionSearch


@dataclass(frozen=True, slots=True)
class Searching:
    """The parts that a search needs.

    `work` reads the store in threads. `clock` gives epoch seconds. `log` is the decision log. The handler that answers
    a search counts it in `counts`.
    """

    engine_of: EngineOf
    work: StoreWork
    bodies: Bodies
    tokens: PageTokens
    limits: HttpLimits
    clock: Callable[[], float]
    counts: Counts
    log: Log = NO_LOG

    def begin(self, req: falcon.asgi.Request) -> Moment:
        """Returns the instant of a search, whose answer tells its id. Raises LogFull."""
        moment = begin(self.log, req)
        return moment if moment.now is not None else Moment(self.clock(), 0, 0, moment.id)

    def keep(self, moment: Moment, engine: Engine, req: falcon.asgi.Request, answer: bytes) -> None:
        """Gives the decision log a search of a pinned engine."""
        self.log.keep(EntryKind.SEARCH, moment, engine, req.context.body, answer, asker_of(req))

    async def engine(self, req: falcon.asgi.Request, env: str) -> Engine:
        """See `engine_for`."""
        return await engine_for(req, self.engine_of, env)

    def refuse_faults(self, engine: Engine, kind: RequestKind, body: object) -> None:
        """Raises BadRequest for a strict search with faults, and counts them (E8)."""
        with self.counts.counting_faults(engine):
            engine.refuse_faults(kind, body)

    def pages(self, req: falcon.asgi.Request, engine: Engine, search: AnySearch) -> Pages:
        """Returns the pages of a search. Tokens are bound to caller, environment and search (S4). Raises BadRequest."""
        environment = engine.manifest.environment
        where = environment.uuid if environment else ""
        bound = [part for name, part in zip(search._fields, search, strict=True) if name != "page"]
        asked = fingerprint(req.context.credential.actor, where, type(search).__name__, bound, search.page.properties)
        return Pages(self.tokens, asked, search.page)

    async def in_thread(self, call: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
        """Runs `call` in a thread and returns its result. For calls that read the store, or take over 1 ms."""
        return await self.work.search(KeptKeys().during, partial(call, *arguments, **named))
