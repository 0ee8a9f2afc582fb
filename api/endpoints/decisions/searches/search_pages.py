"""Collects one page of a search: reads candidates in chunks and decides each, until the page is full (rule S4).

The search looks for one more item than the page has, to know whether it is the last page.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from .....bundles.conditions.values import Json
from .....runtime import BadRequest
from .....runtime.requests.searches import Page
from ....store.search.candidates import Candidates, Registered
from .page_tokens import PagePosition, PageTokens

MAX_ITEMS: Final = 1_000
"""The most items on a page, for any `limit` (S4)."""

FIRST_LOOK: Final = 2
MOST_AT_ONCE: Final = 2_000
"""The number of candidates read at once: first this many times the items of a page, then ever more, up to the most. If
most candidates pass, a large first chunk would be read for nothing."""

Item: TypeAlias = dict[str, Any]


class SearchPage(NamedTuple):
    """The items of a page, and the id after which the next page starts, or None on the last page."""

    items: list[Item]
    after: str | None


EMPTY_PAGE: Final = SearchPage([], None)


def collect(
    look: Callable[[str, int], Candidates],
    path_of: Callable[[str, dict[str, Json]], str | None],
    item: Callable[[Registered, str], Item],
    pages: "Pages",
    most_tried: int,
) -> SearchPage:
    """Returns the page of the candidates with an access path. Tries at most `most_tried` candidates.

    If the client has left, nothing is read any more, and the page is of no use.
    """
    items: list[Item] = []
    after = end = pages.after
    limit, count = pages.limit, FIRST_LOOK * (pages.limit + 1)
    while most_tried > 0:
        count = min(count, MOST_AT_ONCE, most_tried)
        looked = look(after, count)
        count *= 4
        most_tried -= max(looked.tried, 1)
        for candidate in looked.found:
            if pages.is_left:
                return EMPTY_PAGE
            path = path_of(candidate.id, candidate.attributes)
            if path is not None:
                if len(items) == limit:
                    return SearchPage(items, end)
                items.append(item(candidate, path))
                end = candidate.id
        if looked.last is None:
            return SearchPage(items, None)
        after = end = looked.last
    return SearchPage(items, end)


def ordered(answer: dict[str, Any]) -> dict[str, Any]:
    """Returns the answer with `page` first (45) and results last."""
    return {name: answer[name] for name in ("page", "filter", "context", "results") if name in answer}


class Pages:
    """The pages of one search. `search` is its fingerprint."""

    def __init__(self, tokens: PageTokens, search: bytes, page: Page) -> None:
        """Raises BadRequest if the token is of another search, or `limit` is not that of the first page (60, 61)."""
        self._tokens, self._search, self._page = tokens, search, page
        self.is_left = False
        self._position = PagePosition("", page.limit) if page.token is None else tokens.read(page.token, search)
        if page.limit is not None and page.limit != self._position.limit:
            raise BadRequest("`limit` differs from that of the first page", "$.page.limit")

    def leave(self) -> None:
        """End the search, since its client has left. Any thread may call it."""
        self.is_left = True

    @property
    def after(self) -> str:
        """Returns the id after which this page starts."""
        return self._position.after

    @property
    def limit(self) -> int:
        """Returns the most items that the page has."""
        asked = self._position.limit
        return MAX_ITEMS if asked is None else min(asked, MAX_ITEMS)

    def answer(self, found: SearchPage) -> dict[str, Any]:
        """Returns the `page` member of the answer. There is none if one page has all and none was asked for (S4)."""
        if found.after is None and not self._page.given:
            return {}
        token = ""
        if found.after is not None:
            token = self._tokens.write(PagePosition(found.after, self._position.limit), self._search)
        return {"page": {"next_token": token, "count": len(found.items)}}
