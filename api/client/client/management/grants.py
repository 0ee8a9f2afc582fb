"""Direct grants: share a resource, take that back, and set all grants of a resource."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from ...runtime.requests.members import BadRequest
from ..calling.answers import error_of, object_of
from ..calling.errors import BadAnswer
from ..calling.steps import Answer, Steps
from .wanted import Changes, Entity, Grant, WantedGrant, grant_of
from .writing import Writing, path_of, revision_of

MOST_TRIES: Final = 10
"""The tries to change a grant that others change at the same time."""

_EVERYTHING: Final = "*"
_NOT_FOUND: Final = 404
_EQUAL_EXISTS: Final = 409
_CHANGED_MEANWHILE: Final = 412


class GrantsOn(NamedTuple):
    """All grants on a resource. `version` is the entity tag of that set: it changes if one of them does."""

    grants: list[Grant]
    version: str


class GrantCalls(Writing):
    """Calls about direct grants. A resource is its `type` and its `id`, as the model names them."""

    def find(
        self,
        *,
        resource: Entity | None = None,
        subject: Entity | None = None,
        group: str | None = None,
        resource_type: str | None = None,
    ) -> Steps[list[Grant]]:
        """Returns the grants on a resource, of a subject, or to a group, or those that fit all that is given.

        `resource_type` finds those on all resources of a type. Raises CallFailed if there is no answer.
        """
        query: dict[str, str] = {} if resource_type is None else {"resource.type": resource_type}
        for name, entity in (("resource", resource), ("subject", subject)):
            if entity is not None:
                query |= {f"{name}.type": entity["type"], f"{name}.id": entity["id"]}
        if group is not None:
            query["group"] = group
        return (yield from self._all("/grants", query))

    def on(self, resource: Entity) -> Steps[GrantsOn]:
        """Returns all grants on a resource, up to 10,000, with the version that `reconcile` and `clear` may expect.

        Raises BadRequest if there are more, and CallFailed if there is no answer.
        """
        answer = yield from self._sent("GET", _set_path(resource))
        items = object_of(answer).get("items")
        if not isinstance(items, list):
            raise BadAnswer("the answer has no list of `items`; is this the URL of a service of Writ?")
        return GrantsOn(items, _version_of(answer) or "")

    def share(
        self,
        resource: Entity,
        actions: Iterable[str],
        *,
        subject: Entity | None = None,
        group: str | None = None,
        starts_at: datetime | str | None = None,
        expires_at: datetime | str | None = None,
    ) -> Steps[Changes]:
        """Lets a subject, or the members of a group, do actions on a resource. A grant that exists stays.

        Raises BadRequest for what the model does not declare, and CallFailed if there is no answer.
        """
        holder: dict[str, Any] = {"subject": subject, "group": group, "actions": actions}
        made = grant_of(resource, {**holder, "starts_at": starts_at, "expires_at": expires_at})
        answer = yield from self._sent("POST", "/grants", made)
        if answer.status == 200:
            return Changes(unchanged=1, revision=revision_of(answer))
        return Changes(added=[object_of(answer)], revision=revision_of(answer))

    def unshare(
        self,
        resource: Entity,
        actions: Iterable[str] | None = None,
        *,
        subject: Entity | None = None,
        group: str | None = None,
    ) -> Steps[Changes]:
        """Takes the grants of a subject or of a group on a resource back: of some actions, or of all.

        Each grant is changed by itself, and only from the state that was read, so of two calls at the same time none
        is lost. A grant that loses some of its actions keeps its id and its term.

        Raises BadRequest if a grant of all actions (`*`) should lose some, and CallFailed if there is no answer.
        """
        if (subject is None) == (group is None):
            raise BadRequest("name either a `subject` or a `group`", "$")
        taken = None if actions is None else {*actions}
        there = yield from self.find(resource=resource, subject=subject, group=group)
        for one in there:
            _left(one, taken)  # before anything is changed
        found = Changes()
        for one in there:
            found = found.and_then((yield from self._taken(one, taken)))
        return found

    def reconcile(
        self,
        resource: Entity,
        wanted: Iterable[WantedGrant],
        *,
        dry_run: bool = False,
        expected: str | None = None,
    ) -> Steps[Changes]:
        """Sets all grants on a resource: adds those that are missing, and removes those that are not wanted.

        This is atomic, for up to 10,000 grants: the service compares and changes the set in one transaction, which is
        one revision. So of two calls at the same time, one is the last, and its set holds, never a mixture. A grant
        that was added since `wanted` was read elsewhere is removed. To refuse that, give the `version` that `on` or an
        earlier call returned as `expected`: if the set has changed since then, nothing is written.

        With `dry_run`, it only returns what would change. Raises BadRequest for what the model does not declare,
        Refused with the status 412 if the set is not as `expected`, and CallFailed if there is no answer. The set may
        have been written then: call it again.
        """
        items = [grant_of(resource, {**one}) for one in wanted]
        path = _set_path(resource) + ("?dry_run=true" if dry_run else "")
        answer = yield from self._sent("PUT", path, {"items": items}, _expecting(expected))
        told = object_of(answer)
        found = Changes(told["added"], told["removed"], told["unchanged"], version=_version_of(answer))
        return found if dry_run or not (found.added or found.removed) else replace(found, revision=revision_of(answer))

    def clear(self, resource: Entity, *, expected: str | None = None) -> Steps[str | None]:
        """Removes all grants on a resource, up to 10,000, as one write. Returns the revision token.

        `expected` and the errors are those of `reconcile`.
        """
        return revision_of((yield from self._sent("DELETE", _set_path(resource), headers=_expecting(expected))))

    def _taken(self, grant: Grant, taken: set[str] | None) -> Steps[Changes]:
        """Takes actions from one grant, or all of them."""
        path, answer = path_of("grants", grant["id"]), None
        for _ in range(MOST_TRIES):
            answer = yield from self._sent("GET", path, expected=[_NOT_FOUND])
            if answer.status == _NOT_FOUND:
                return Changes()
            there = object_of(answer)
            left = _left(there, taken)
            if left is None:
                return Changes()
            headers = {"If-Match": answer.headers.get("etag", "*")}
            answer = yield from self._reduced(path, left, headers)
            if answer.status == _NOT_FOUND:
                return Changes()
            if answer.status < 300:
                changed = [] if answer.status == 204 else [object_of(answer)]
                return Changes(changed, [there], revision=revision_of(answer))
            yield self._caller.jitter(0.1)
        raise AssertionError("nothing was tried") if answer is None else error_of(answer)

    def _reduced(self, path: str, left: list[str], headers: dict[str, str]) -> Steps[Answer]:
        """Leaves a grant some actions, or removes it, also if the rest of it would equal another grant."""
        if left:
            expected = [_NOT_FOUND, _EQUAL_EXISTS, _CHANGED_MEANWHILE]
            answer = yield from self._sent("PATCH", path, {"actions": left}, headers, expected)
            if answer.status != _EQUAL_EXISTS:
                return answer
        return (yield from self._sent("DELETE", path, None, headers, [_NOT_FOUND, _CHANGED_MEANWHILE]))


def _set_path(resource: Entity) -> str:
    return path_of("resources", resource["type"], resource["id"], "grants")


def _expecting(version: str | None) -> dict[str, str]:
    return {} if version is None else {"If-Match": f'"{version}"'}


def _version_of(answer: Answer) -> str | None:
    tag = answer.headers.get("etag")
    return None if tag is None else tag.strip('"')


def _left(grant: Grant, taken: set[str] | None) -> list[str] | None:
    """Returns the actions that a grant keeps, or None if it loses none. Raises BadRequest for a part of all actions."""
    actions = {*grant["actions"]}
    if taken is None or taken >= actions:
        return []
    if _EVERYTHING in actions:
        raise BadRequest("the grant is of all actions (`*`): take all of them back, and share the others", "$")
    return sorted(actions - taken) if actions & taken else None
