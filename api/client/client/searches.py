"""The questions about many entities: `filter`, `actions`, `resources` and `subjects`."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, cast

from ..runtime.requests.members import check_request
from ..runtime.requests.searches import (
    FILTER,
    RESULTS,
    RETURNS,
    read_action_search,
    read_resource_search,
    read_subject_search,
)
from ..runtime.requests.unavailable import SearchUnavailable
from ..runtime.shapes import ActionSearchRequest, ActionsResponse, FilterResponse, ResourceSearchRequest
from .asking import Asking
from .calling.answers import object_of
from .calling.bodies import encoded
from .calling.errors import BadAnswer
from .calling.steps import Steps

MOST_PAGES: Final = 100_000
"""The most pages of a search. A decision point with more goes round in circles."""

Kind = Literal["resource", "subject", "action"]

_READERS: Final[Mapping[Kind, Callable[[Any], object]]] = {
    "resource": read_resource_search,
    "subject": read_subject_search,
    "action": read_action_search,
}
"""They refuse a malformed search that is not asked, as an engine does."""


class Searches(Asking):
    """Questions about many entities."""

    def filter(self, request: ResourceSearchRequest | dict[str, Any]) -> Steps[FilterResponse]:
        """Returns the filter response (contract 2.6) to a resource search.

        Raises BadRequest for a malformed request, SearchUnavailable if the decision point has no filters, and
        CallFailed if there is no answer.
        """
        check_request(request)
        endpoints, deadline = yield from self._begin()
        if endpoints.filter is None:
            read_resource_search(request)
            raise SearchUnavailable("the decision point offers no filters: they are an extension of Writ")
        body = encoded(_returning(FILTER, request))
        found = object_of((yield from self._posted(endpoints.filter, body, deadline)))
        if not isinstance(found.get("filter"), dict):
            raise BadAnswer("the answer has no `filter`")
        return cast(FilterResponse, {name: found[name] for name in ("filter", "context") if name in found})

    def actions(self, request: ActionSearchRequest | dict[str, Any]) -> Steps[ActionsResponse]:
        """Returns all actions that the subject may do on the resource, by name (S2), whatever `page` asks for.

        Raises BadRequest for a malformed request, SearchUnavailable if the decision point does not search, and
        CallFailed if there is no answer.
        """
        pages = self.pages("action", request)
        results: list[Any] = []
        while pages.is_left:
            results += yield from pages.next()
        return {"results": results, "context": pages.context}

    def pages(self, kind: Kind, request: Any) -> "Pages":
        """Returns the pages of a search, of which none is asked for yet. Raises BadRequest if it is no object."""
        check_request(request)
        if kind == "resource":
            request = _returning(RESULTS, request)
        return Pages(self, kind, _with_pages(kind, request))

    def page(self, kind: Kind, request: dict[str, Any]) -> Steps[dict[str, Any]]:
        """Returns the answer to one page of a search."""
        endpoints, deadline = yield from self._begin()
        url: str | None = getattr(endpoints, kind)
        if url is None:
            _READERS[kind](request)
            raise SearchUnavailable(f"the decision point does not search for a {kind}: ask the service, not an agent")
        return object_of((yield from self._posted(url, encoded(request), deadline)))


class Pages:
    """The pages of a search, one after the other. Each is asked for when it is wanted.

    `page.limit` of the request bounds each page, and `page.token` is where the first one begins.
    """

    def __init__(self, searches: Searches, kind: Kind, request: dict[str, Any]):
        self._searches, self._kind, self._request = searches, kind, request
        self._seen: set[str] = set()
        self.is_left = True
        self.context: Any = {}

    def next(self) -> Steps[list[Any]]:
        """Returns the results of the next page. Raises the errors of `Searches.actions`."""
        found = yield from self._searches.page(self._kind, self._request)
        results, page = found.get("results"), found.get("page")
        if not isinstance(results, list) or not all(isinstance(one, dict) for one in results):
            raise BadAnswer("the answer to a search has no list of `results`")
        if not self._seen and isinstance(found.get("context"), dict):
            self.context = found["context"]
        token = page.get("next_token") if isinstance(page, dict) else None
        self.is_left = isinstance(token, str) and token != ""
        if self.is_left:
            self._go_on(cast(str, token))
        return results

    def _go_on(self, token: str) -> None:
        if token in self._seen or len(self._seen) >= MOST_PAGES:
            raise BadAnswer("the pages of a search go round in circles")
        self._seen.add(token)
        page = self._request.get("page")
        self._request = {**self._request, "page": {**(page if isinstance(page, dict) else {}), "token": token}}


def _returning(form: str, request: Any) -> dict[str, Any]:
    """Returns a resource search that asks for this form of the answer, whichever one it names.

    Options that are malformed stay: the decision point refuses them.
    """
    asked: dict[str, Any] = request
    options = asked.get("options")
    if options is None:
        return asked if form == RESULTS else {**asked, "options": {"return": form}}
    if not isinstance(options, dict) or options.get("return") not in (None, *RETURNS):
        return asked
    return {**asked, "options": {**options, "return": form}}


def _with_pages(kind: Kind, request: dict[str, Any]) -> dict[str, Any]:
    """Returns a search whose pages lead to all results: none is empty, and those of actions begin with the first one.

    A page that is malformed stays: the decision point refuses it.
    """
    page = request.get("page")
    if not isinstance(page, dict):
        return request
    kept = dict(page)
    if kept.get("limit") == 0 and not isinstance(kept["limit"], bool):
        del kept["limit"]
    if kind == "action" and isinstance(kept.get("token"), str):
        del kept["token"]
    return {**request, "page": kept}
