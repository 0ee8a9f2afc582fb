"""What tools ask about an environment: the elements that a draft refers to."""

from collections.abc import Mapping, Sequence

from ...compiler.model.elements import Element, ElementKind, Policy
from .database.connections import Connections
from .elements.bodies import element_of
from .elements.declarations import all_declared, declared, referred
from .elements.tables import TABLES
from .environment_ids import Bounds
from .environments import environment_within


class Insight:
    """What tools ask about an environment. Every method raises NotFound, OutOfBounds and StoreUnavailable."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def declared_for(
        self, env: str, policy: Policy, every_name: bool, bounds: Bounds = None
    ) -> Mapping[str, Sequence[Element]]:
        """Returns the elements that a policy refers to and the silenced lints, by list.

        With `every_name`, it adds all elements that a policy could refer to, except those of lists too long for a
        search.
        """
        with self._connections.reading() as db:
            number = environment_within(db, env, bounds).number
            references = referred(db, number, (policy,))
            found = declared(db, number, references | all_declared(db, number) if every_name else references)
            silences = TABLES[ElementKind.LINTS].bodies(db, number)
            return found | {ElementKind.LINTS: [element_of(ElementKind.LINTS, body) for body in silences]}
