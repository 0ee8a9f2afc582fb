"""Answers the questions of tools: counts, what needs attention, holdings, graphs, the elements behind a draft."""

from collections.abc import Mapping, Sequence

from ....bundles.wording import quoted
from ....compiler.limits import Limits
from ....compiler.model.elements import Element, ElementKind, Model, Policy
from ..database.connections import StoreConnections
from ..elements.declarations import all_declared, declared, referred
from ..elements.element_bodies import decode_body, element_of
from ..elements.tables import TABLES
from ..environment_ids import Bounds
from ..environments import Environment, environment_within
from ..errors import ElementKey, NotFound
from ..models.reading import model_of
from ..models.stored_errors import StoredErrors, stored_errors
from ..trials.trial import Declared, declared_of
from .attention import Attention, ToAdminister, attention, to_administer
from .element_counts import CountsByList, RememberedCounts
from .element_graph import ElementGraph, Node, element_graph
from .element_names import ElementToName, element_names
from .subject_holdings import Holdings, holdings


class Insight:
    """The questions of tools about an environment. Every method raises NotFound, OutOfBounds and StoreUnavailable."""

    def __init__(self, connections: StoreConnections) -> None:
        self._connections, self._counts = connections, RememberedCounts()

    def counts(self, env: str, bounds: Bounds = None) -> CountsByList:
        """Returns the number of elements of each list of the model document."""
        with self._connections.reading() as db:
            return self._counts.at(db, environment_within(db, env, bounds))

    def holdings(self, env: str, key: ElementKey, bounds: Bounds = None) -> Holdings:
        """Returns what the subject of that type and id holds and why, at one revision."""
        with self._connections.reading() as db:
            return holdings(db, environment_within(db, env, bounds), key)

    def names(self, env: str, wanted: Sequence[ElementToName], bounds: Bounds = None) -> list[str | None]:
        """Returns the name of each of some elements, or None for one that has none."""
        with self._connections.reading() as db:
            return element_names(db, environment_within(db, env, bounds), wanted)

    def graph(self, env: str, start: Node, bounds: Bounds = None) -> ElementGraph:
        """Returns the groups and roles around a subject, a group or a role, at one revision."""
        with self._connections.reading() as db:
            return element_graph(db, environment_within(db, env, bounds), start)

    def attention(
        self, env: str, now: float, administers: bool, bounds: Bounds = None
    ) -> tuple[Environment, Attention, ToAdminister | None]:
        """Returns the environment, and the counts of what needs attention at `now`, in epoch seconds.

        The last ones are None unless the caller `administers`.
        """
        with self._connections.reading() as db:
            environment = environment_within(db, env, bounds)
            administered = to_administer(db, environment, now, bounds) if administers else None
            return environment, attention(db, environment, now, bounds), administered

    def declared(self, env: str, bounds: Bounds = None) -> tuple[Environment, Declared]:
        """Returns the environment and what its model declares: no elements but resource types and attributes."""
        with self._connections.reading() as db:
            environment = environment_within(db, env, bounds)
            return environment, declared_of(db, environment)

    def errors(self, env: str, limits: Limits) -> StoredErrors:
        """Returns the errors of a model that was stored without them, which a server goes on with."""
        with self._connections.reading() as db:
            return stored_errors(db, environment_within(db, env, None), limits)

    def linted_model(self, env: str, uuid: str) -> tuple[Environment, Model]:
        """Returns the environment, and its model as far as lints read it. `uuid` is that of the environment.

        PERF: no lint reads subjects, except for the ids that a silence names, and a model may have a million.
        """
        with self._connections.reading() as db:
            environment = environment_within(db, env, None)
            if environment.uuid != uuid:
                raise NotFound(f"there is no environment {quoted(env)} any more")
            texts = TABLES[ElementKind.LINTS].bodies(db, environment.number)
            named = any("on" in decode_body(text) for text in texts)
            return environment, model_of(db, environment, () if named else (ElementKind.SUBJECTS,))

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
