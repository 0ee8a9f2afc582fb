"""`WritBackend`: `user.has_perm(…)` and `await user.ahas_perm(…)` ask Writ."""

from typing import Any

from asgiref.sync import sync_to_async

from django.contrib.auth.backends import BaseBackend

from ..bundles.errors import Error
from ..web import asking, looping
from ..web.answers import LOG
from .permissions import is_everything, of_permission
from .project import asubject_of, async_engine, engine, subject_of


class WritBackend(BaseBackend):  # type: ignore[misc]  # Django has no types
    """Answers permissions, and authenticates no user. Django never asks it about an active superuser.

    An error of Writ is logged, and the permission is not given. A user that is not active has none.
    """

    def has_perm(self, user_obj: Any, perm: str, obj: Any = None) -> bool:
        """Returns whether a user may do the action on an object.

        Without an object, it returns whether the user may do it on every object of the type, known or not. So a view
        that checks no objects is open only to those who may act on all of them.
        """
        try:
            subject = subject_of(user_obj)
            if not subject:
                return False
            asked = of_permission(subject, perm, obj)
            if obj is None:
                return is_everything(asking.found_filter(engine(), asked))
            return asking.refusal(engine(), asked) is None
        except Error as ex:
            return _no_decision(ex)

    async def ahas_perm(self, user_obj: Any, perm: str, obj: Any = None) -> bool:
        """Returns the same, without holding up the event loop."""
        try:
            subject = await asubject_of(user_obj)
            if not subject:
                return False
            asked = await sync_to_async(of_permission)(subject, perm, obj)  # an object may load fields
            if obj is None:
                return is_everything(await looping.found_filter(async_engine(), asked))
            return await looping.refusal(async_engine(), asked) is None
        except Error as ex:
            return _no_decision(ex)


def _no_decision(error: Error) -> bool:
    LOG.error("no decision: %r", str(error))
    return False
