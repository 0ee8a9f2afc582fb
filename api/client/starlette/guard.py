"""The guard of an application: a decorator for its endpoints, and the same checks for use inside them."""

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from inspect import iscoroutinefunction
from json import dumps
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request

from ..web.access import Access
from ..web.answers import Refusal
from ..web.looping import settled
from ..web.points import AnySource
from ..web.questions import NO_PROPERTIES


class Guard:
    """Asks whether the subject of a request may go on.

    A refusal ends the request with 403, and with 503 if there is no decision. Each has a JSON body and the reason code
    in the header `X-Writ-Reason-Code`.
    """

    def __init__(
        self,
        point: AnySource,
        subject: Callable[[Request], Any],
        context: Callable[[Request], Any] | None = None,
    ):
        """The functions may be coroutine functions. They run in the event loop.

        Args:
            point: The decision point, such as an `Engine` or `writ.AsyncClient`, or a function that returns it. A
                blocking one that is no engine is asked in a thread.
            subject: Returns the subject of a request, as `{"type": "user", "id": "alice"}`, or None.
            context: Returns the context of a request, such as `{"ip": request.client.host}`.
        """
        self._point, self._asked, self._context = point, subject, context

    async def access(self, request: Request) -> Access:
        """Returns all checks of a request, for use inside an endpoint."""
        where = await settled(self._context(request)) if self._context else NO_PROPERTIES
        return Access(self._point, await settled(self._asked(request)), where, _error)

    async def subject(self, request: Request) -> Mapping[str, Any]:
        """Returns the subject of a request, for a query. A request without one ends with 403."""
        return (await self.access(request)).who()

    def requires(
        self,
        action: str,
        resource_type: str,
        id: str | Callable[[Request], Any] = "id",
        properties: Callable[[Request], Any] | None = None,
    ) -> Callable[[Callable[..., Any]], Callable[..., Awaitable[Any]]]:
        """Returns a decorator that lets an endpoint run if the subject may do the action on the resource.

        `id` names the path parameter that has the resource's id. It may be a function of the request as well, and so is
        `properties`, which returns the resource's attributes. A request without a subject ends before both are called.
        """

        async def check(request: Request) -> None:
            access = await self.access(request)
            access.who()
            its_id = await settled(id(request)) if callable(id) else _path_parameter(request, id)
            found = await settled(properties(request)) if properties else NO_PROPERTIES
            await access.check(action, resource_type, its_id, found)

        def decorated(endpoint: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
            @wraps(endpoint)
            async def guarded(*args: Any) -> Any:
                await check(args[-1])  # the request stands behind the `self` of a method
                if iscoroutinefunction(endpoint):
                    return await endpoint(*args)
                return await run_in_threadpool(endpoint, *args)

            return guarded

        return decorated


def _path_parameter(request: Request, name: str) -> Any:
    if name not in request.path_params:
        raise LookupError(f"the path has no parameter `{name}`: `requires` needs that with the resource's id")
    return request.path_params[name]


def _error(refused: Refusal) -> HTTPException:
    """Returns the error whose text Starlette sends as it is."""
    return HTTPException(refused.status, dumps(refused.body), {**refused.headers, "Content-Type": "application/json"})
