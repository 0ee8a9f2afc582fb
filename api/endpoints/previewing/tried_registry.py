"""The registered attributes after changes that are tried and not written (E9)."""

from collections.abc import Iterable
from typing import Any, Final

from ....compiler.model.elements import ElementKind
from ....runtime.requests.members import Attributes
from ....runtime.requests.registry import Registry
from ....runtime.state.state import State
from ...store.elements.element_bodies import decode_body
from ...store.elements.workspace import ElementTexts

_ENTITIES: Final = (ElementKind.SUBJECTS, ElementKind.RESOURCES)


class TriedRegistry:
    """A registry of entities, of which changes put or delete some."""

    def __init__(self, stored: Registry, changes: Iterable[ElementTexts]) -> None:
        """`stored` is the registry without the changes."""
        self._stored = stored
        self._changed = {(one.kind, one.key): one.after for one in changes if one.kind in _ENTITIES}

    def subject(self, state: State, type: str, id: str) -> Attributes:
        """Returns the registered attributes of a subject. Raises as `stored`."""
        key = ElementKind.SUBJECTS, (type, id)
        return self._after(self._changed[key]) if key in self._changed else self._stored.subject(state, type, id)

    def resource(self, state: State, type: str, id: str) -> Attributes:
        """Returns the registered attributes of a resource. `type` is the id of its type. Raises as `stored`."""
        key = ElementKind.RESOURCES, (type, id)
        return self._after(self._changed[key]) if key in self._changed else self._stored.resource(state, type, id)

    @staticmethod
    def _after(body: bytes | None) -> Attributes:
        element: dict[str, Any] = {} if body is None else decode_body(body)
        return element.get("attributes") or {}
