"""The registered subjects and resources: their names elsewhere, and their attributes."""

from collections.abc import Mapping
from typing import Any, Final

from ...runtime.requests.as_json import as_json
from ..calling.answers import error_of, object_of
from ..calling.steps import Steps
from .wanted import Entity
from .writing import Writing, path_of, revision_of

MOST_TRIES: Final = 3
"""The tries to write an entity that others register or remove at the same time."""

_NOT_FOUND: Final = 404
_EXISTS: Final = 412


class RegistryCalls(Writing):
    """Calls about registered entities: subjects and resources, each by its `type` and its `id`."""

    def subject(self, entity: Entity) -> Steps[dict[str, Any] | None]:
        """Returns a registered subject, or None. Raises CallFailed if there is no answer."""
        return (yield from self._get("subjects", entity))

    def resource(self, entity: Entity) -> Steps[dict[str, Any] | None]:
        """Returns a registered resource, or None. Raises CallFailed if there is no answer."""
        return (yield from self._get("resources", entity))

    def register_subject(
        self, entity: Entity, *, external_id: str | None = None, attributes: Mapping[str, Any] | None = None
    ) -> Steps[str | None]:
        """Registers a subject, or replaces a registered one. Returns the revision token.

        Raises BadRequest for what the model does not declare, and CallFailed if there is no answer.
        """
        return (yield from self._put("subjects", entity, {"external_id": external_id, "attributes": attributes}))

    def register_resource(
        self,
        entity: Entity,
        *,
        external_id: str | None = None,
        name: str | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> Steps[str | None]:
        """Registers a resource, or replaces a registered one. Returns the revision token.

        Raises BadRequest for what the model does not declare, and CallFailed if there is no answer.
        """
        rest = {"external_id": external_id, "name": name, "attributes": attributes}
        return (yield from self._put("resources", entity, rest))

    def remove_subject(self, entity: Entity, *, cascade: bool = False) -> Steps[str | None]:
        """Removes a registered subject. Returns the revision token, or None if there was none.

        With `cascade`, what refers to it is removed too. Without, Refused is raised with the status 409 if something
        does. Raises CallFailed if there is no answer.
        """
        return (yield from self._delete("subjects", entity, cascade))

    def remove_resource(self, entity: Entity, *, cascade: bool = False) -> Steps[str | None]:
        """Removes a registered resource. Parameters, result and errors are those of `remove_subject`."""
        return (yield from self._delete("resources", entity, cascade))

    def _get(self, kind: str, entity: Entity) -> Steps[dict[str, Any] | None]:
        answer = yield from self._sent("GET", _path(kind, entity), expected=[_NOT_FOUND])
        return None if answer.status == _NOT_FOUND else object_of(answer)

    def _put(self, kind: str, entity: Entity, rest: Mapping[str, Any]) -> Steps[str | None]:
        body = as_json({"type": entity["type"], "id": entity["id"], **{n: v for n, v in rest.items() if v is not None}})
        path, error = _path(kind, entity), None
        for _ in range(MOST_TRIES):
            answer = yield from self._sent("PUT", path, body, expected=[_NOT_FOUND])
            if answer.status != _NOT_FOUND:
                return revision_of(answer)
            answer = yield from self._sent("PUT", path, body, {"If-None-Match": "*"}, [_EXISTS])
            if answer.status != _EXISTS:
                return revision_of(answer)
            error = error_of(answer)
        raise error or AssertionError("nothing was tried")

    def _delete(self, kind: str, entity: Entity, cascade: bool) -> Steps[str | None]:
        path = _path(kind, entity) + ("?cascade=true" if cascade else "")
        answer = yield from self._sent("DELETE", path, expected=[_NOT_FOUND])
        return revision_of(answer)


def _path(kind: str, entity: Entity) -> str:
    return path_of(kind, entity["type"], entity["id"])
