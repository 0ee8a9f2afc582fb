"""A model that tests ask: an engine, and what the model declares."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from ....bundles.conditions.values import Json
from ....bundles.event_loop import TakesLong
from ....bundles.program.facts import EntityKey, ResourceFacts
from ....runtime import Engine, RateCounters, SearchUnavailable
from ....runtime.requests.searches import read_resource_search
from .undeclared import ModelDeclarations

COUNTER_BYTES: Final = 16 * 1024
"""The memory of the counters of one question. It asks for one subject only."""

_NO_ATTRIBUTES: Final = "a bundle does not list attributes, so no test can ask it with registered ones"

Resources: TypeAlias = Mapping[EntityKey, ResourceFacts]


class UnusableModel(Exception):
    """A model can't be used for a test. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class TestedModel:
    """A model, ready to be asked. `resources` are its registered resources, or None: a bundle does not list them.

    `engine` has counters for rate limits, which have counted nothing. `declared` is what the model declares.
    """

    engine: Engine
    resources: Resources | None
    declared: ModelDeclarations

    def decide(self, request: dict[str, Any], now: float | None) -> dict[str, Any]:
        """Returns the decision on a request, as if it were the first.

        Raises BundleError for a damaged bundle, and UnusableModel if a bundle is asked with registered attributes.
        """
        try:
            return self.engine.decide(request, now, counts=False)
        except SearchUnavailable:
            raise UnusableModel(_NO_ATTRIBUTES) from None
        except TakesLong:  # this thread has no event loop: the evaluation counts for a rate limit (C10)
            return self.engine.counting(RateCounters(COUNTER_BYTES)).decide(request, now)

    def search(self, request: dict[str, Any], now: float | None, with_results: bool) -> dict[str, Any]:
        """Returns the filter of a search, and with `with_results` the results among the registered resources (S2).

        Raises BundleError for a damaged bundle, and UnusableModel for what a bundle does not know.
        """
        try:
            answer = self.engine.filter(request, now)
        except SearchUnavailable:
            raise UnusableModel(_NO_ATTRIBUTES) from None
        if with_results:
            if self.resources is None:
                raise UnusableModel("a bundle does not list its resources, so no test can expect `results` of it")
            answer["results"] = self._results(self.resources, request, now)
        return answer

    def _results(self, resources: Resources, request: dict[str, Any], now: float | None) -> list[dict[str, Json]]:
        search = read_resource_search(request)
        judge = self.engine.judge_resources(search, now)
        if judge is None:
            return []
        found: list[dict[str, Json]] = []
        for key in sorted(key for key in resources if key.type == judge.type_id):
            facts = resources[key]
            path = judge.path(key.id, facts.attributes or {})
            if path is not None:
                item: dict[str, Json] = {"type": search.resource_type, "id": key.id, "resource_id": key.id}
                names = {"external_id": facts.external_id, "name": facts.name}
                item |= {name: value for name, value in names.items() if value is not None}
                item |= {"actions": judge.actions(key.id, facts.attributes or {}), "access_path": str(path)}
                found.append(item)
        return found
