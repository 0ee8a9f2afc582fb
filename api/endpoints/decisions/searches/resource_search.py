"""`POST /access/v1/search/resource`: the resources on which a subject may act, as a filter, items or both (S1)."""

from functools import partial
from typing import Any, Final

import falcon.asgi

from .....runtime import Engine
from .....runtime.requests.searches import BOTH, FILTER, RESULTS, ResourceSearch, read_resource_search
from .....runtime.searches.context_note import context_note, say_left_open, search_context
from .....runtime.searches.resources import ResourceJudge
from ....engines.work.leaving import leaving
from ....http.bodies import ENCODER, JSON
from ....http.openapi.operation import Answer, Operation
from ....store.environment_ids import DEFAULT, Bounds
from ....store.search.candidates import Registered
from ....telemetry.decision_log.entry import EntryKind
from ..lane_answers import LaneAnswer
from .search_pages import EMPTY_PAGE, Item, Pages, SearchPage, collect, ordered
from .search_shapes import ResourceSearchRequest, ResourcesFound
from .searching import Searching

SEARCH: Final = Operation(
    "searchResources",
    "Decisions",
    "Find the resources that a subject may act on",
    {200: Answer("The filter, the resources, perhaps none, or both.", ResourcesFound)},
    bodies={JSON: ResourceSearchRequest},
    errors=(503,),
)

_KIND: Final = EntryKind.SEARCH  # PERF: to find a member of an enumeration takes as long as a call


class ResourceSearches:
    """Answers cached filters on the event loop, and runs longer work in a thread."""

    def __init__(self, searching: Searching) -> None:
        self._searching = searching

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str = DEFAULT) -> None:
        """Answer 200 with `filter`, `results` or both, and their context (contract 2.6)."""
        body = await self._searching.bodies.read_object(req)
        engine, search = await self._searching.engine(req, env), read_resource_search(body)
        self._searching.refuse_faults(engine, "resource", body)
        moment = self._searching.begin(req)
        now = moment.now
        undeclared = engine.undeclared(search.resource_type, search.action.name)
        answer: dict[str, Any] = {}
        left_open: tuple[str, ...] = ()
        if search.options.returns in (RESULTS, BOTH):
            pages = self._searching.pages(req, engine, search)
            where = env, req.context.credential.bounds
            with leaving(pages.leave):
                found, left_open = await self._searching.in_thread(self._results, where, engine, search, pages, now)
            answer = {
                **pages.answer(found),
                "context": search_context(undeclared or _reason(search), left_open),
                "results": found.items,
            }
        if search.options.returns in (FILTER, BOTH):
            filtered = engine.cached_filter(search, now)
            self._searching.counts.looked_up_filter(found=filtered is not None)
            if filtered is None:
                filtered = await self._searching.in_thread(engine.filter_for, search, now)
            if answer and undeclared is None and search.filter_context is None:
                filtered["context"]["reason"] += f"; in the results, {context_note(search.results_context)}"
            say_left_open(filtered["context"], left_open)
            answer |= filtered
        self._searching.counts.searched(engine, "resource")
        resp.data = ENCODER.encode(ordered(answer))
        self._searching.keep(moment, engine, req, resp.data)

    def at_once(self, engine: Engine, body: bytes, now: float | None = None) -> LaneAnswer | None:
        """Returns the answer if it is a filter alone and the engine remembers it, else None (see `lane`)."""
        searching = self._searching
        instant = searching.clock() if now is None else now
        encoded = engine.filter_json(body, searching.bodies.plain.search, instant)
        if encoded is None:
            found = self._read_at_once(engine, body, instant)
            if found is None:  # the application looks it up again
                return None
            encoded = ENCODER.encode(found)
        searching.counts.found_filter(engine)
        return _KIND, encoded

    def _read_at_once(self, engine: Engine, body: bytes, now: float) -> dict[str, Any] | None:
        request = self._searching.bodies.decoded(body)
        search = read_resource_search(request)
        engine.refuse_faults("resource", request)
        return engine.cached_filter(search, now) if search.options.returns == FILTER else None

    def _results(
        self, where: tuple[str, Bounds], engine: Engine, search: ResourceSearch, pages: Pages, now: float | None
    ) -> tuple[SearchPage, tuple[str, ...]]:
        """Returns a page, and what it leaves open (S6)."""
        judge = engine.judge_resources(search, now)
        if judge is None:
            return EMPTY_PAGE, ()
        env, bounds = where
        look = partial(self._searching.work.store.resource_candidates, env, judge.type_id, bounds=bounds)
        page = collect(
            lambda after, count: look(after, count, judge.where, judge.granted_to),
            judge.path,
            lambda candidate, path: _item(search, judge, candidate, path),
            pages,
            self._searching.limits.search_candidates,
        )
        return page, engine.left_open(search, now, found=bool(page.items))


def _item(search: ResourceSearch, judge: ResourceJudge, candidate: Registered, path: str) -> Item:
    """Returns the type and id, or the contract's item if the request has `options` (S3)."""
    bare = {"type": search.resource_type, "id": candidate.id}
    if not search.options.given:
        return bare
    names = {"external_id": candidate.external_id, "name": candidate.name}
    return {
        **bare,
        "resource_id": candidate.id,
        **{name: value for name, value in names.items() if value is not None},
        "actions": judge.actions(candidate.id, candidate.attributes),
        "access_path": path,
    }


def _reason(search: ResourceSearch) -> str:
    return f"registered resources that the subject may act on; {context_note(search.results_context)}"
