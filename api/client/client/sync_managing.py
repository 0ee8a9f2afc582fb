"""The calls that manage the model, for threads."""

from collections.abc import Callable

from .calling.blocking import BlockingDriver
from .facades import blocking
from .management.grants import GrantCalls
from .management.groups import GroupCalls
from .management.registry import RegistryCalls
from .processes import Process

Here = Callable[[], Process[BlockingDriver]]


class Grants:
    """Direct grants of a service of Writ."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def _now_here(self) -> tuple[GrantCalls, BlockingDriver]:
        here = self._here()
        return here.calls.grants, here.driver

    find = blocking(GrantCalls.find)
    on = blocking(GrantCalls.on)
    share = blocking(GrantCalls.share)
    unshare = blocking(GrantCalls.unshare)
    reconcile = blocking(GrantCalls.reconcile)
    clear = blocking(GrantCalls.clear)


class Groups:
    """The members of groups of a service of Writ."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def _now_here(self) -> tuple[GroupCalls, BlockingDriver]:
        here = self._here()
        return here.calls.groups, here.driver

    members = blocking(GroupCalls.members)
    add = blocking(GroupCalls.add)
    remove = blocking(GroupCalls.remove)


class Registry:
    """The registered subjects and resources of a service of Writ."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def _now_here(self) -> tuple[RegistryCalls, BlockingDriver]:
        here = self._here()
        return here.calls.registry, here.driver

    subject = blocking(RegistryCalls.subject)
    resource = blocking(RegistryCalls.resource)
    register_subject = blocking(RegistryCalls.register_subject)
    register_resource = blocking(RegistryCalls.register_resource)
    remove_subject = blocking(RegistryCalls.remove_subject)
    remove_resource = blocking(RegistryCalls.remove_resource)
