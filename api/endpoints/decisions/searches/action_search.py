"""`POST /access/v1/search/action`: the actions that a subject may do on a resource (S2, S3)."""

from collections.abc import Sequence
from typing import Final

import falcon.asgi

from .....runtime.requests.searches import ActionSearch, read_action_search
from .....runtime.searches.context_note import context_note, search_context
from ....http.bodies import ENCODER, JSON
from ....http.openapi.operation import Answer, Operation
from ....store.environment_ids import DEFAULT
from .search_pages import Item, SearchPage
from .search_shapes import ActionSearchRequest, ActionsFound
from .searching import Searching

SEARCH: Final = Operation(
    "searchActions",
    "Decisions",
    "Find the actions that a subject may do on a resource",
    {200: Answer("The actions, perhaps none.", ActionsFound)},
    bodies={JSON: ActionSearchRequest},
    errors=(503,),
)


class ActionSearches:
    """Searches in a thread: a search derives the conditions of each action."""

    def __init__(self, searching: Searching) -> None:
        self._searching = searching

    async def on_post(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str = DEFAULT) -> None:
        """Answer 200 with a page of actions, by name."""
        body = await self._searching.bodies.read_object(req)
        engine, search = await self._searching.engine(req, env), read_action_search(body)
        self._searching.refuse_faults(engine, "action", body)
        pages = self._searching.pages(req, engine, search)
        moment = self._searching.begin(req)
        actions, left_open = await self._searching.in_thread(engine.find_actions, search, moment.now)
        found = _page_of(actions, search, pages.after, pages.limit)
        reason = engine.undeclared(search.resource.type) or (
            f"actions that the subject may take on the resource; {context_note(search.context)}"
        )
        self._searching.counts.searched(engine, "action")
        context = search_context(reason, left_open)
        resp.data = ENCODER.encode({**pages.answer(found), "context": context, "results": found.items})
        self._searching.keep(moment, engine, req, resp.data)


def _page_of(actions: Sequence[tuple[str, str]], search: ActionSearch, after: str, limit: int) -> SearchPage:
    left = [(name, path) for name, path in actions if name > after]
    items: list[Item] = [
        {"name": name, "access_path": path} if search.options.given else {"name": name} for name, path in left[:limit]
    ]
    more = len(left) > limit
    return SearchPage(items, (left[limit - 1][0] if limit else after) if more else None)
