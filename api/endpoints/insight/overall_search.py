"""The elements of all lists that have a part of a text: `/v1/environments/{env}/search`."""

from typing import Any, Final, Literal

import falcon
import falcon.asgi
from msgspec import Struct

from ...engines.live.store_work import StoreWork
from ...http.bodies import ENCODER
from ...http.openapi.operation import Answer, Operation, Parameter
from ...http.openapi.vocabulary import PART
from ...http.queries import known_parameters, number
from ...store.finding.overview import KINDS_FOUND, FoundInList

MOST_SHOWN: Final = 20
"""The most elements of one list."""

SHOWN: Final = 5
"""The elements of one list, if `limit` is left out."""


class FoundElements(Struct, frozen=True):
    """The elements of one list. With `more`, others have the text too."""

    kind: Literal[tuple(map(str, KINDS_FOUND))]  # type: ignore[valid-type]  # the names stand in one place
    items: tuple[dict[str, Any], ...]
    more: bool


class SearchAnswer(Struct, frozen=True):
    """The lists that have elements with the text."""

    lists: tuple[FoundElements, ...]


GET: Final = Operation(
    "searchElements",
    "Insight",
    "Find elements of every list by a part of an id or a name",
    {200: Answer("The elements of each list, the likeliest first.", SearchAnswer)},
    query=(
        PART,
        Parameter(
            "limit",
            f"The most elements of one list. The default is {SHOWN}.",
            {"type": "integer", "minimum": 1, "maximum": MOST_SHOWN},
        ),
    ),
)


class OverallSearch:
    """The search in all lists of an environment."""

    def __init__(self, work: StoreWork) -> None:
        self._work = work

    async def on_get(self, req: falcon.asgi.Request, resp: falcon.asgi.Response, env: str) -> None:
        """Answer 200, without lists if `q` is left out."""
        asked = known_parameters(req, "q", "limit")
        limit = number("limit", asked.get("limit", str(SHOWN)), 1, MOST_SHOWN)
        bounds = req.context.credential.bounds
        found = await self._work.read(self._work.store.finder.overview, env, asked.get("q", ""), limit, bounds)
        resp.data = ENCODER.encode(SearchAnswer(tuple(map(_shown, found))))


def _shown(found: FoundInList) -> FoundElements:
    return FoundElements(found.kind, tuple(one.body for one in found.items), found.more)
