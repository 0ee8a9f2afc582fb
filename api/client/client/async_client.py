"""The client for asyncio."""

from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any

import httpx

from ..runtime.shapes import ResourceItem, ResourceSearchRequest, SubjectItem, SubjectSearchRequest
from .async_managing import AsyncGrants, AsyncGroups, AsyncRegistry
from .calling.looping import LoopDriver
from .facades import looping
from .processes import OfProcesses
from .questions import Questions
from .searches import Pages


class AsyncClient(OfProcesses[httpx.AsyncClient, LoopDriver]):
    """Asks a decision point over HTTP, like `Client`, in any event loop of asyncio: each one has its own connections.

    The questions are coroutines. `resources` and `subjects` are for `async for`. Close it, or use it in an `async with`
    statement.
    """

    def _driver(self) -> LoopDriver:
        options = self._settings.session_options()
        return LoopDriver(self._session, lambda: httpx.AsyncClient(**options))

    def _now_here(self) -> tuple[Questions, LoopDriver]:
        here = self._here()
        return here.calls.questions, here.driver

    decide = looping(Questions.decide)
    allowed = looping(Questions.allowed)
    ask = looping(Questions.ask)
    decide_many = looping(Questions.decide_many)
    filter = looping(Questions.filter)
    actions = looping(Questions.actions)

    def resources(self, request: ResourceSearchRequest | dict[str, Any]) -> AsyncIterator[ResourceItem]:
        """Yields the resources on which the subject may do the action (S2), page after page.

        Raises BadRequest for a malformed request, SearchUnavailable if the decision point does not search, and
        CallFailed if there is no answer.
        """
        return self._each(self._here().calls.questions.pages("resource", request))

    def subjects(self, request: SubjectSearchRequest | dict[str, Any]) -> AsyncIterator[SubjectItem]:
        """Yields the subjects that may do the action on the resource (S2), page after page.

        Raises the errors of `resources`.
        """
        return self._each(self._here().calls.questions.pages("subject", request))

    async def _each(self, pages: Pages) -> AsyncIterator[Any]:
        while pages.is_left:
            for one in await self._here().driver.run(pages.next()):
                yield one

    @property
    def grants(self) -> AsyncGrants:
        """The grants of the model, to change them."""
        return AsyncGrants(self._here)

    @property
    def groups(self) -> AsyncGroups:
        """The groups of the model, to change their members."""
        return AsyncGroups(self._here)

    @property
    def registry(self) -> AsyncRegistry:
        """The registered subjects and resources of the model, to change them."""
        return AsyncRegistry(self._here)

    async def aclose(self) -> None:
        """Close the connections of the running event loop, except those of the application's own session."""
        await self._here().driver.close()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        await self.aclose()
