"""Stops the answer of a view that got no permission for the object in its path, or for its new values."""

from functools import partial
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from .changing import save_checked


def expect_check(view: Any) -> None:
    """Makes a view fail with ImproperlyConfigured if it answers before `note_check`, unless it refuses or describes.

    REST framework asks about an object in `get_object`. A view that gets its object in another way would ask nothing.
    """
    if hasattr(view, "_writ_checked"):
        return
    view._writ_checked, finalize = False, view.finalize_response

    def finalize_response(request: Any, response: Any, *args: Any, **kwargs: Any) -> Any:
        if response.status_code < 400 and request.method != "OPTIONS" and not view._writ_checked:
            name = f"{type(view).__name__}.{getattr(view, 'action', None) or request.method.lower()}"
            raise ImproperlyConfigured(
                f"`{name}` asks about no object: call `get_object` or `check_object_permissions`"
            )
        return finalize(request, response, *args, **kwargs)

    view.finalize_response = finalize_response


def check_new_values(view: Any) -> None:
    """Makes `perform_update` of a view ask about the object once it is saved, unless `writ_new_values` is false.

    If the answer is no, the transaction takes the new values back.
    """
    update = getattr(view, "perform_update", None)
    if update is None or not getattr(view, "writ_new_values", True) or "perform_update" in vars(view):
        return

    def perform_update(serializer: Any) -> None:
        check = partial(view.check_object_permissions, view.request)
        save_checked(partial(update, serializer), serializer.instance, check)

    view.perform_update = perform_update


def is_checked(view: Any) -> bool:
    """Returns whether an object of the view was asked about."""
    return bool(getattr(view, "_writ_checked", False))


def note_check(view: Any) -> None:
    """Notes that an object of the view was asked about."""
    view._writ_checked = True
