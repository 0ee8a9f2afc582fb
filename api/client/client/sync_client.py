"""The client for threads."""

from collections.abc import Iterator
from types import TracebackType
from typing import Any

import httpx

from ..runtime.shapes import ResourceItem, ResourceSearchRequest, SubjectItem, SubjectSearchRequest
from .calling.blocking import BlockingDriver
from .facades import blocking
from .processes import OfProcesses
from .questions import Questions
from .searches import Pages
from .sync_managing import Grants, Groups, Registry


class Client(OfProcesses[httpx.Client, BlockingDriver]):
    """Asks a decision point over HTTP: a service of Writ, its agent, or another one that speaks AuthZEN 1.0.

    The questions and answers are those of `Engine`. Any thread may use a client, and so may a forked process. Close it,
    or use it in a `with` statement.
    """

    def _driver(self) -> BlockingDriver:
        owns = self._session is None
        return BlockingDriver(self._session or httpx.Client(**self._settings.session_options()), owns)

    def _now_here(self) -> tuple[Questions, BlockingDriver]:
        here = self._here()
        return here.calls.questions, here.driver

    decide = blocking(Questions.decide)
    allowed = blocking(Questions.allowed)
    ask = blocking(Questions.ask)
    decide_many = blocking(Questions.decide_many)
    filter = blocking(Questions.filter)
    actions = blocking(Questions.actions)

    def resources(self, request: ResourceSearchRequest | dict[str, Any]) -> Iterator[ResourceItem]:
        """Yields the resources on which the subject may do the action (S2), page after page.

        Raises BadRequest for a malformed request, SearchUnavailable if the decision point does not search, and
        CallFailed if there is no answer.
        """
        return self._each(self._here().calls.questions.pages("resource", request))

    def subjects(self, request: SubjectSearchRequest | dict[str, Any]) -> Iterator[SubjectItem]:
        """Yields the subjects that may do the action on the resource (S2), page after page.

        Raises the errors of `resources`.
        """
        return self._each(self._here().calls.questions.pages("subject", request))

    def _each(self, pages: Pages) -> Iterator[Any]:
        while pages.is_left:
            yield from self._here().driver.run(pages.next())

    @property
    def grants(self) -> Grants:
        """The grants of the model, to change them."""
        return Grants(self._here)

    @property
    def groups(self) -> Groups:
        """The groups of the model, to change their members."""
        return Groups(self._here)

    @property
    def registry(self) -> Registry:
        """The registered subjects and resources of the model, to change them."""
        return Registry(self._here)

    def close(self) -> None:
        """Close the connections of this process, except those of the application's own session."""
        self._here().driver.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()
