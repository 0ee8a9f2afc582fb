"""The guard of an application: dependencies for its path operations."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Protocol

from starlette.requests import HTTPConnection

from fastapi import Depends, HTTPException

from ..runtime.requests.members import BadRequest
from ..web.access import Access, Permitted
from ..web.answers import Refusal, refusal_after
from ..web.points import AnySource
from ..web.questions import ITS_ID, NO_PROPERTIES, Properties
from .path_ids import path_id


class Function(Protocol):
    """A function with any parameters.

    FastAPI takes it for no parameter of a request. So `Depends(guard.requires)`, which lacks its call, is an error when
    the application starts. With a type that a query may have, the path operation would run without a check.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Returns what the application's function returns."""


class Guard:
    """Asks whether the subject of a request may go on.

    A refusal ends the request with 403, and with 503 if there is no decision. Each has the reason code in the header
    `X-Writ-Reason-Code`, and in the `detail` of its JSON body.
    """

    access: Callable[..., Awaitable[Access]]
    """The dependency that gives all checks of the request: `Depends(guard.access)`."""

    subject: Callable[..., Awaitable[Mapping[str, Any]]]
    """The dependency that gives the subject, for a query. A request without one ends with 403."""

    def __init__(
        self,
        point: AnySource,
        subject: Callable[..., Any],
        context: Callable[..., Any] | None = None,
    ):
        """The functions are dependencies, so they may have dependencies too, and may be coroutine functions.

        Args:
            point: The decision point, such as an `Engine` or `writ.AsyncClient`, or a function that returns it. A
                blocking one that is no engine is asked in a thread.
            subject: Returns the subject of the request, as `{"type": "user", "id": "alice"}`, or None.
            context: Returns the context of the request, such as `{"ip": request.client.host}`.
        """

        async def access(
            who: Annotated[Any, Depends(subject)], where: Annotated[Any, Depends(context or _no_properties)]
        ) -> Access:
            return Access(point, who, where, _error)

        async def identified(access: Annotated[Access, Depends(access)]) -> Access:
            access.who()
            return access

        async def its_subject(access: Annotated[Access, Depends(access)]) -> Mapping[str, Any]:
            return access.who()

        self.access, self.subject, self._identified = access, its_subject, identified

    def requires(
        self,
        action: str,
        resource_type: str,
        id: str | Function = "id",
        properties: Function | None = None,
    ) -> Callable[..., Awaitable[Access]]:
        """Returns a dependency that lets a request go on if its subject may do the action on the resource.

        `id` names the path parameter that has the resource's id, and is read as the path operation reads it. It may be
        a dependency as well, and `properties` is a dependency that returns the resource's attributes. The dependency
        gives what `access` gives. A request without a subject ends before the others are asked.
        """
        found_id = id if callable(id) else _path_parameter(id)

        async def required(
            access: Annotated[Access, Depends(self._identified)],
            its_id: Annotated[Any, Depends(found_id)],
            found: Annotated[Any, Depends(properties or _no_properties)],
        ) -> Access:
            await access.check(action, resource_type, its_id, found)
            return access

        return required

    def checked(
        self, action: str, load: Function, resource: Callable[[Any], Mapping[str, Any]]
    ) -> Callable[..., Awaitable[Any]]:
        """Returns a dependency that gives what `load` gives, if the subject may do the action on it.

        `load` is a dependency, such as one that returns a row. `resource` makes the resource of a request from that, as
        `writ.sqlalchemy.resource_of` does. A request without a subject ends before `load` is asked.
        """

        async def loaded(
            access: Annotated[Access, Depends(self._identified)], found: Annotated[Any, Depends(load)]
        ) -> Any:
            await access.check(action, resource(found))
            return found

        return loaded

    def permitted(
        self,
        action: str,
        resource_type: str,
        id: Function = ITS_ID,
        properties: Function | None = None,
    ) -> Callable[..., Awaitable[Permitted[Any]]]:
        """Returns a dependency for a list: `await permitted.among(items)` has the allowed ones, and asks in one batch.

        `id` and `properties` return the id and the attributes of an item. `await permitted.filter()` is the filter
        response for a query. The dependency itself refuses only a request without a subject.
        """

        async def listed(access: Annotated[Access, Depends(self._identified)]) -> Permitted[Any]:
            return Permitted(access, action, resource_type, id, properties)

        return listed


def _path_parameter(name: str) -> Callable[[HTTPConnection], Awaitable[str]]:
    async def its_id(request: HTTPConnection) -> str:
        try:
            return path_id(request, name)
        except BadRequest as ex:
            raise _error(refusal_after(ex)) from None

    return its_id


async def _no_properties() -> Properties:
    """Stands for a function that the application does not give."""
    return NO_PROPERTIES


def _error(refused: Refusal) -> HTTPException:
    return HTTPException(refused.status, refused.body, refused.headers)
