"""The settings of a project: `WRIT_ENGINE`, `WRIT_ASYNC_ENGINE` and `WRIT_SUBJECT`."""

from inspect import iscoroutinefunction
from typing import Any

from asgiref.sync import async_to_sync, sync_to_async

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string


def engine() -> Any:
    """Returns the decision point of `WRIT_ENGINE`. It has it, or a function that returns it, or the path of either."""
    return _setting("WRIT_ENGINE")


def async_engine() -> Any:
    """Returns that of `WRIT_ASYNC_ENGINE`, such as a `writ.AsyncClient`, or else that of `WRIT_ENGINE`."""
    return _setting("WRIT_ASYNC_ENGINE") if hasattr(settings, "WRIT_ASYNC_ENGINE") else engine()


def subject_of(user: Any) -> Any:
    """Returns the subject that `WRIT_SUBJECT`, a function or its path, makes of a user, or None if there is no subject.

    A user that is not active is none.
    """
    if not _may_ask(user):
        return None
    function = _setting("WRIT_SUBJECT")
    return async_to_sync(function)(user) if iscoroutinefunction(function) else function(user)


async def asubject_of(user: Any) -> Any:
    """Returns the same in an event loop. A function that may block runs in a thread."""
    if not _may_ask(user):
        return None
    function = _setting("WRIT_SUBJECT")
    return await function(user) if iscoroutinefunction(function) else await sync_to_async(function)(user)


def _may_ask(user: Any) -> bool:
    return bool(getattr(user, "is_active", True) or getattr(user, "is_anonymous", False))


def _setting(name: str) -> Any:
    found = getattr(settings, name, None)
    if found is None:
        raise ImproperlyConfigured(f"`{name}` is missing in the settings of the project")
    return import_string(found) if isinstance(found, str) else found
