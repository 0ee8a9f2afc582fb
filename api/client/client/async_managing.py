"""The calls that manage the model, for asyncio."""

from collections.abc import Callable

from .calling.looping import LoopDriver
from .facades import looping
from .management.grants import GrantCalls
from .management.groups import GroupCalls
from .management.registry import RegistryCalls
from .processes import Process

Here = Callable[[], Process[LoopDriver]]


class AsyncGrants:
    """Direct grants of a service of Writ."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def _now_here(self) -> tuple[GrantCalls, LoopDriver]:
        here = self._here()
        return here.calls.grants, here.driver

    find = looping(GrantCalls.find)
    on = looping(GrantCalls.on)
    share = looping(GrantCalls.share)
    unshare = looping(GrantCalls.unshare)
    reconcile = looping(GrantCalls.reconcile)
    clear = looping(GrantCalls.clear)


class AsyncGroups:
    """The members of groups of a service of Writ."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def _now_here(self) -> tuple[GroupCalls, LoopDriver]:
        here = self._here()
        return here.calls.groups, here.driver

    members = looping(GroupCalls.members)
    add = looping(GroupCalls.add)
    remove = looping(GroupCalls.remove)


class AsyncRegistry:
    """The registered subjects and resources of a service of Writ."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def _now_here(self) -> tuple[RegistryCalls, LoopDriver]:
        here = self._here()
        return here.calls.registry, here.driver

    subject = looping(RegistryCalls.subject)
    resource = looping(RegistryCalls.resource)
    register_subject = looping(RegistryCalls.register_subject)
    register_resource = looping(RegistryCalls.register_resource)
    remove_subject = looping(RegistryCalls.remove_subject)
    remove_resource = looping(RegistryCalls.remove_resource)
