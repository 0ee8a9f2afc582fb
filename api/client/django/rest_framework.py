"""The permission and the filter backend for views of REST framework."""

from typing import Any, Final

from rest_framework.exceptions import APIException
from rest_framework.filters import BaseFilterBackend
from rest_framework.mixins import (
    CreateModelMixin,
    DestroyModelMixin,
    ListModelMixin,
    RetrieveModelMixin,
    UpdateModelMixin,
)
from rest_framework.permissions import BasePermission

from ..bundles.errors import Error
from ..runtime.requests.members import BadRequest
from ..web import asking
from ..web.answers import NOBODY, Refusal, refusal_after
from ..web.points import point_of
from ..web.questions import NO_PROPERTIES, search
from .creating import WritCreate
from .object_checks import check_new_values, expect_check, note_check
from .permissions import NOT_ALL, about, is_everything, resource_type
from .project import engine, subject_of

ACTIONS: Final = {
    "GET": "read",
    "HEAD": "read",
    "OPTIONS": "read",
    "POST": "create",
    "PUT": "update",
    "PATCH": "update",
    "DELETE": "delete",
}
"""The action for each method. `writ_actions` of a view names others, for its actions and methods.

A POST to another action than `create` asks for an action with its name: to publish is not to create.
"""


class WritPermission(BasePermission):  # type: ignore[misc]  # REST framework has no types
    """Asks about the object of a view, when the view gets it, and again when `perform_update` has saved it.

    So an update gives no object values by which the subject may not update it, such as another tenant. A view with
    `writ_new_values = False` asks only about the object as it was.

    A view without an object needs the action on every object of the type, or a list that WritFilterBackend filters, or
    to create as WritCreate does. A refusal has the reason code in its body and in the header `X-Writ-Reason-Code`.
    """

    def has_permission(self, request: Any, view: Any) -> bool:
        """Returns True if the view goes on to an object or a filtered list. Raises the 403 or 503 of a refusal."""
        subject = _subject(request, view)
        if _has_object(view) or _asks_when_saved(request, view):
            expect_check(view)
            check_new_values(view)
            return True
        if _filters(request, view):
            return True
        try:
            asked = search(subject, _action(request, view), resource_type(_model(view)), NO_PROPERTIES)
            refused = None if is_everything(asking.found_filter(engine(), asked)) else NOT_ALL
        except Error as ex:
            refused = refusal_after(ex)
        return _allowed(request, view, refused)

    def has_object_permission(self, request: Any, view: Any, obj: Any) -> bool:
        """Returns True if the decision allows. Raises the 403 or 503 of a refusal."""
        note_check(view)
        subject = _subject(request, view)
        try:
            refused = asking.refusal(engine(), about(subject, _action(request, view), obj))
        except Error as ex:
            refused = refusal_after(ex)
        return _allowed(request, view, refused)


class WritFilterBackend(BaseFilterBackend):  # type: ignore[misc]  # REST framework has no types
    """Leaves the rows in a list that the subject may act on. The queryset has `authorized`."""

    def filter_queryset(self, request: Any, queryset: Any, view: Any) -> Any:
        """Returns the rows for a list, and all rows for a view of one object, which WritPermission checks."""
        if _has_object(view):
            return queryset
        subject = _subject(request, view)
        try:
            given = {"engine": point_of(engine()), "resource_type": resource_type(queryset.model)}
            return queryset.authorized(subject, _action(request, view), **given)
        except Error as ex:
            _allowed(request, view, refusal_after(ex))
            return queryset.none()


def _subject(request: Any, view: Any) -> Any:
    subject = subject_of(request.user)
    if not subject:
        _allowed(request, view, NOBODY)
    return subject


def _action(request: Any, view: Any) -> str:
    named, method = getattr(view, "writ_actions", {}), request.method
    if method == "HEAD" and method not in named:
        method = "GET"  # the same handler runs
    of_view = getattr(view, "action", None)
    own = of_view if method == "POST" and of_view not in ("create", "metadata") else None
    return str(named.get(of_view) or named.get(method) or own or ACTIONS.get(method) or method.lower())


def _model(view: Any) -> Any:
    if not hasattr(view, "get_queryset"):
        raise BadRequest("the view has no queryset, whose model is the type to ask about", "$.resource.type")
    return view.get_queryset().model


def _has_object(view: Any) -> bool:
    key = getattr(view, "lookup_url_kwarg", None) or getattr(view, "lookup_field", None)
    return key in view.kwargs and not _is_of_list(view)


def _is_of_list(view: Any) -> bool:
    """Returns whether the view lists or creates. A key in its path is another object's: `folders/<pk>/documents`."""
    if hasattr(view, "action_map"):
        return view.detail is False or not {"list", "create"}.isdisjoint(view.action_map.values())
    of_one = isinstance(view, RetrieveModelMixin | UpdateModelMixin | DestroyModelMixin)
    return isinstance(view, ListModelMixin | CreateModelMixin) and not of_one


def _asks_when_saved(request: Any, view: Any) -> bool:
    is_create = view.action == "create" if hasattr(view, "action") else request.method == "POST"
    return is_create and isinstance(view, WritCreate)


def _filters(request: Any, view: Any) -> bool:
    backends = getattr(view, "filter_backends", ())
    is_list = view.action == "list" if hasattr(view, "action") else isinstance(view, ListModelMixin)
    return is_list and request.method in ("GET", "HEAD") and any(issubclass(one, WritFilterBackend) for one in backends)


def _allowed(request: Any, view: Any, refused: Refusal | None) -> bool:
    if refused is None:
        return True
    if request.method == request._request.method:  # else OPTIONS only looks what another method could do
        view.headers = {**view.headers, **refused.headers}
    error = APIException(refused.body)
    error.status_code = refused.status
    raise error
