"""The members of groups: added and removed one by one, also if several writers do so at once."""

from typing import Any, Final, TypeAlias

from ...runtime.requests.members import BadRequest
from ..calling.answers import object_of
from ..calling.steps import Steps
from .wanted import Entity
from .writing import Writing, path_of, revision_of

_ADDED: Final = 201
_NOT_FOUND: Final = 404

Members: TypeAlias = list[dict[str, Any]]


class GroupCalls(Writing):
    """Calls about groups. A member is a `subject`, or another `group` by its id.

    The service changes one member, whatever the others are, so several writers do not get in each other's way.
    """

    def members(self, id: str) -> Steps[Members]:
        """Returns the members of a group, each as `{type, id}` or `{group}`.

        Raises Refused with the status 404 if there is no such group, and CallFailed if there is no answer.
        """
        found = object_of((yield from self._sent("GET", path_of("groups", id))))
        return list(found.get("members") or [])

    def add(self, id: str, *, subject: Entity | None = None, group: str | None = None) -> Steps[str | None]:
        """Makes a subject, or another group, a member of a group. Returns the revision token, or None if it was one.

        Raises Refused with the status 404 if there is no such group, and CallFailed if there is no answer.
        """
        answer = yield from self._sent("PUT", _path(id, subject, group))
        return revision_of(answer) if answer.status == _ADDED else None

    def remove(self, id: str, *, subject: Entity | None = None, group: str | None = None) -> Steps[str | None]:
        """Takes a subject, or another group, out of a group. Returns the revision token, or None if it was no member.

        Raises Refused with the status 404 if there is no such group, and CallFailed if there is no answer.
        """
        answer = yield from self._sent("DELETE", _path(id, subject, group), expected=[_NOT_FOUND])
        if answer.status != _NOT_FOUND:
            return revision_of(answer)
        yield from self.members(id)  # raises if it is the group that is missing
        return None


def _path(id: str, subject: Entity | None, group: str | None) -> str:
    """Returns the path of a member. Raises BadRequest unless exactly one is given."""
    if subject is not None and group is None:
        return path_of("groups", id, "members", subject["type"], subject["id"])
    if group is None or subject is not None:
        raise BadRequest("name either a `subject` or a `group`", "$")
    return path_of("groups", id, "groups", group)
