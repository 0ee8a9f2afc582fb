"""The interface of a registry, which has the attributes of registered entities (E3, E9)."""

from typing import Protocol

from ..state.state import State
from .members import Attributes


class Registry(Protocol):
    """The registered entities of a model. An entity that the model does not list has no attributes.

    Both methods may read a store: an engine never calls them on an event loop. They answer as of `state`, the program
    and facts that decide.
    """

    def subject(self, state: State, type: str, id: str) -> Attributes:
        """Returns the registered attributes of a subject."""

    def resource(self, state: State, type: str, id: str) -> Attributes:
        """Returns the registered attributes of a resource. `type` is the id of its type."""
