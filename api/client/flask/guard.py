"""The guard of an application: a decorator for its views, and the same checks for use inside them."""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

from flask import abort, current_app, jsonify, make_response

from ..bundles.errors import Error
from ..web import asking
from ..web.answers import NOBODY, Refusal, refusal_after
from ..web.points import BlockingSource
from ..web.questions import ITS_ID, NO_PROPERTIES, Properties, question, questions, search
from .order import note_guarded

P = ParamSpec("P")
T = TypeVar("T")
ItemT = TypeVar("ItemT")


class Guard:
    """Asks whether the subject of the current request may go on.

    A refusal ends the request with 403, and with 503 if there is no decision. Each has a JSON body and the reason code
    in the header `X-Writ-Reason-Code`.
    """

    def __init__(
        self,
        point: BlockingSource,
        subject: Callable[[], Any],
        context: Callable[[], Any] | None = None,
    ):
        """The functions may be coroutine functions, if Flask is installed as `flask[async]`.

        Args:
            point: The decision point, such as an `Engine` or `writ.Client`, or a function that returns it.
            subject: Returns the subject of the current request, as `{"type": "user", "id": "alice"}`, or None.
            context: Returns the context of the current request, such as `{"ip": request.remote_addr}`.
        """
        self._point, self._asked, self._context = point, subject, context

    def subject(self) -> Mapping[str, Any]:
        """Returns the subject of the current request, for a query. A request without one ends with 403."""
        subject: Mapping[str, Any] | None = _now(self._asked)
        return subject or _end(NOBODY)

    def requires(
        self,
        action: str,
        resource_type: str,
        id: str | Callable[..., Any] = "id",
        properties: Callable[..., Any] | None = None,
    ) -> Callable[[Callable[P, T]], Callable[P, T]]:
        """Returns a decorator that lets a view run if the subject may do the action on the resource.

        `id` names the argument of the view that has the resource's id. It may be a function as well, and `properties`
        a function that returns the resource's attributes. Both take the arguments of the view. A request without a
        subject ends before both are called. A view that is registered without its guard, by a route below it, answers
        500.
        """

        def decorated(view: Callable[P, T]) -> Callable[P, T]:
            @wraps(view)
            def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
                who = self.subject()
                found = _now(properties, *args, **kwargs) if properties else NO_PROPERTIES
                self._check(who, action, resource_type, _id_in(id, args, kwargs), found)
                answer: T = current_app.ensure_sync(view)(*args, **kwargs)
                return answer

            note_guarded(view)
            return guarded

        return decorated

    def check(
        self, action: str, resource: str | Mapping[str, Any], id: Any = None, properties: Properties = NO_PROPERTIES
    ) -> None:
        """End the request with 403 or 503, unless its subject may do the action on the resource.

        `resource` is its type, with its `id` and its attributes, or the whole resource, as `resource_of` returns it.
        """
        self._check(self.subject(), action, resource, id, properties)

    def _check(
        self,
        who: Mapping[str, Any],
        action: str,
        resource: str | Mapping[str, Any],
        id: Any,
        properties: Properties,
    ) -> None:
        try:
            asked = question(who, action, resource, id, properties, self._where())
        except Error as ex:
            _end(refusal_after(ex))
        refused = asking.refusal(self._point, asked)
        if refused is not None:
            _end(refused)

    def permitted(
        self,
        action: str,
        resource_type: str,
        items: Iterable[ItemT],
        id: Callable[[ItemT], Any] = ITS_ID,
        properties: Callable[[ItemT], Properties] | None = None,
    ) -> list[ItemT]:
        """Returns those of the items that the subject may do the action on, in order. It asks in one batch.

        `id` and `properties` return the id and the attributes of an item. The request ends with 503 if there is no
        decision.
        """
        listed = list(items)
        try:
            asked = questions(self.subject(), action, resource_type, listed, id, properties, self._where())
            allowed = asking.permissions(self._point, asked)
        except Error as ex:
            _end(refusal_after(ex))
        return [item for item, is_allowed in zip(listed, allowed, strict=True) if is_allowed]

    def filter(self, action: str, resource_type: str) -> Any:
        """Returns the filter response of what the subject may do the action on now, for a query of the application.

        The request ends with 503 if there is none.
        """
        try:
            return asking.found_filter(self._point, search(self.subject(), action, resource_type, self._where()))
        except Error as ex:
            _end(refusal_after(ex))

    def _where(self) -> Properties:
        found: Properties = _now(self._context) if self._context else NO_PROPERTIES
        return found


def _now(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Returns what a function of the application returns, or its coroutine."""
    return current_app.ensure_sync(function)(*args, **kwargs)


def _id_in(id: str | Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    if callable(id):
        return _now(id, *args, **kwargs)
    if id not in kwargs:
        raise LookupError(f"the view has no argument `{id}`: `requires` needs the name of that with the resource's id")
    return kwargs[id]


def _end(refused: Refusal) -> NoReturn:
    abort(make_response(jsonify(refused.body), refused.status, refused.headers))
