"""Questions to a client of asyncio: they are awaited one by one, and what asks them runs again with the answers."""

from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made")


async def with_answers(make: Callable[["Answers"], Made], client: Any) -> Made:
    """Returns what `make` makes of the answers of an asynchronous client, such as `writ.AsyncClient`.

    `make` must ask the same each time, since it is called once more after each new answer. Raises what `make` raises,
    and what the client raises if `make` does not catch it.
    """
    answers = Answers()
    while True:
        try:
            return make(answers)
        except _Unanswered as ex:
            await answers.take(ex, client)


class Answers:
    """Answers filters and action searches that were asked before."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Any] = {}

    def filter(self, request: Any, /) -> Any:
        """Returns the filter response to a resource search."""
        return self._answer("filter", request)

    def actions(self, request: Any, /) -> Any:
        """Returns the response to an action search."""
        return self._answer("actions", request)

    async def take(self, asked: "_Unanswered", client: Any) -> None:
        """Asks the client, and keeps its answer or its error."""
        try:
            self._found[asked.key] = await getattr(client, asked.key[0])(asked.request)
        except Exception as ex:
            self._found[asked.key] = ex

    def _answer(self, call: str, request: Any) -> Any:
        key = call, repr(request)
        if key not in self._found:
            raise _Unanswered(key, request)
        found = self._found[key]
        if isinstance(found, Exception):
            raise found
        return found


class _Unanswered(BaseException):
    """A question has no answer yet. No `except Exception` of an application takes it."""

    def __init__(self, key: tuple[str, str], request: Any):
        self.key, self.request = key, request
