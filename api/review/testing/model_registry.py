"""The registry of a model in documents: the attributes that it lists (E9)."""

from ....bundles.conditions.values import Json
from ....compiler.model.elements import Model
from ....runtime.state.state import State


class ModelRegistry:
    """The subjects and resources of one model. It is for an engine over this model alone."""

    def __init__(self, model: Model) -> None:
        self._subjects = {(one.type, one.id): one.attributes or {} for one in model.subjects}
        self._resources = {(one.type, one.id): one.attributes or {} for one in model.resources}

    def subject(self, _state: State, type: str, id: str) -> dict[str, Json]:
        """Returns the registered attributes of a subject."""
        return self._subjects.get((type, id), {})

    def resource(self, _state: State, type: str, id: str) -> dict[str, Json]:
        """Returns the registered attributes of a resource. `type` is the id of its type."""
        return self._resources.get((type, id), {})
