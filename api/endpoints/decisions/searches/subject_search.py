"""`POST /access/v1/search/subject`: the registered subjects that may act on a resource (S2, S3)."""

from functools import partial
from typing import Final

import falcon.asgi

from .....runtime import Engine
from .....runtime.requests.searches import SubjectSearch, read_subject_search
from .....runtime.searches.context_note import context_note, search_context
from ....engines.work.leaving import leaving
from ....http.bodies import ENCODER, JSON
from ....http.openapi.operation import Answer, Operation
from ....store.environment_ids import DEFAULT, Bounds
from ....store.search.candidates import Registered
from .search_pages import EMPTY_PAGE, Item, Pages, SearchPage, collect
from .search_shapes import SubjectSearchRequest, SubjectsFound
from .searching import Searching

SEARCH: Final = Operation(
    "searchSubjects",
    "Decisions",
    "Find the subjects that may act on a resource",
    {200: Answer("The subjects, perhaps none.", SubjectsFound)},
    bodies={JSON: SubjectSearchRequest},
    errors=(503,),
)


class SubjectSearches:
    """Always answers `results`, since a filter is a condition on resources (S1)."""

    def __init__(self, searching: Searching) -> None:
        self._searching = searching

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str = DEFAULT) -> None:
        """Answer 200 with a page of subjects, also if there are none (46)."""
        body = await self._searching.bodies.read_object(req)
        engine, search = await self._searching.engine(req, env), read_subject_search(body)
        self._searching.refuse_faults(engine, "subject", body)
        pages = self._searching.pages(req, engine, search)
        moment = self._searching.begin(req)
        where = env, req.context.credential.bounds
        with leaving(pages.leave):
            found, left_open = await self._searching.in_thread(self._results, where, engine, search, pages, moment.now)
        reason = engine.undeclared(search.resource.type, search.action.name) or (
            f"registered subjects that may act on the resource; {context_note(search.context)}"
        )
        self._searching.counts.searched(engine, "subject")
        context = search_context(reason, left_open)
        resp.data = ENCODER.encode({**pages.answer(found), "context": context, "results": found.items})
        self._searching.keep(moment, engine, req, resp.data)

    def _results(
        self, where: tuple[str, Bounds], engine: Engine, search: SubjectSearch, pages: Pages, now: float | None
    ) -> tuple[SearchPage, tuple[str, ...]]:
        """Returns a page, and what it leaves open (S6)."""
        judge, left_open = engine.judge_subjects(search, now), engine.left_open(search, now)
        if judge is None:
            return EMPTY_PAGE, left_open
        env, bounds = where
        look = partial(self._searching.work.store.subject_candidates, env, search.subject_type, bounds=bounds)
        page = collect(
            lambda after, count: look(after, count, judge.rules, judge.granted_on),
            judge.path,
            lambda candidate, path: _item(search, candidate, path),
            pages,
            self._searching.limits.search_candidates,
        )
        return page, left_open


def _item(search: SubjectSearch, candidate: Registered, path: str) -> Item:
    """Returns the type and id, and the access path if the request has `options` (S3)."""
    bare: Item = {"type": search.subject_type, "id": candidate.id}
    if not search.options.given:
        return bare
    names = {} if candidate.external_id is None else {"external_id": candidate.external_id}
    return {**bare, **names, "access_path": path}
