"""One call that manages the model: writes with their revision tokens, and lists with all their pages."""

from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

from ..calling.answers import error_of, object_of
from ..calling.bodies import encoded
from ..calling.caller import Caller
from ..calling.errors import BadAnswer
from ..calling.revision import REVISION, Revisions
from ..calling.steps import Answer, Call, Steps

PAGE_ITEMS: Final = 1_000
"""The items of a page of a list."""

_JSON: Final = {"Content-Type": "application/json"}


class Writing:
    """The base of the calls that manage the model below the URL `root`. `seconds` bounds each of them."""

    def __init__(self, caller: Caller, root: str, revisions: Revisions, seconds: float):
        self._caller, self._root, self._revisions, self._seconds = caller, root, revisions, seconds

    def _sent(
        self,
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
        expected: Iterable[int] = (),
    ) -> Steps[Answer]:
        """Returns the answer to a call, and keeps its revision token.

        Raises the error of an answer, unless it succeeded or its status is `expected`. All these calls may be repeated:
        they say what is to be there, or not.
        """
        content = None if body is None else encoded(body)
        sent = {**({} if body is None else _JSON), **(headers or {})}
        deadline = self._caller.deadline(self._seconds)
        answer = yield from self._caller.sent(Call(method, self._root + path, content, sent), deadline)
        if answer.status >= 300 and answer.status not in expected:
            raise error_of(answer)
        if method != "GET" and answer.status < 300:
            self._revisions.saw(answer.headers.get(REVISION))
        return answer

    def _all(self, path: str, filters: Mapping[str, str]) -> Steps[list[Any]]:
        """Returns the items of all pages of a list."""
        found: list[Any] = []
        query = {**filters, "limit": str(PAGE_ITEMS)}
        while True:
            page = object_of((yield from self._sent("GET", f"{path}?{urlencode(query)}")))
            items, cursor = page.get("items"), page.get("next_cursor")
            if not isinstance(items, list):
                raise BadAnswer("the answer has no list of `items`; is this the URL of a service of Writ?")
            found += items
            if not isinstance(cursor, str) or not cursor:
                return found
            query["cursor"] = cursor


def revision_of(answer: Answer) -> str | None:
    """Returns the revision token of a write, or None."""
    return answer.headers.get(REVISION)


def path_of(*parts: str) -> str:
    """Returns parts as a path.

    >>> path_of("subjects", "us/er", "x")
    '/subjects/us%2Fer/x'
    """
    return "".join(f"/{quote(part, safe='')}" for part in parts)
