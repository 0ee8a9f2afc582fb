"""The model that tests ask: model documents, which are compiled in memory, or a bundle file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from ....bundles import zones
from ....bundles.conditions.values import Json
from ....bundles.errors import BundleError
from ....bundles.file.header import MAGIC
from ....bundles.file.in_memory import bundle_in_memory
from ....bundles.file.reader import Bundle, open_bundle
from ....bundles.program.clauses import Program, Rate
from ....bundles.program.facts import EntityKey, ResourceFacts
from ....compiler.compile import compile_model
from ....compiler.model.elements import Model
from ....runtime import Engine, RateCounters
from ....runtime.requests.searches import read_resource_search
from ...serving.build import InvalidModel, check_sources, sources_of
from ..sentences import bundle_sentence
from .undeclared import Declared, declared_by

COUNTER_BYTES: Final = 16 * 1024
"""The memory of the counters of one question. It asks for one subject only."""

Resources: TypeAlias = Mapping[EntityKey, ResourceFacts]


class UnusableModel(Exception):
    """The sources of a model can't be used together. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class TestedModel:
    """A model, ready to be asked. `resources` are its registered resources, or None: a bundle does not list them."""

    engine: Engine
    program: Program
    resources: Resources | None
    is_limited: bool
    declared: Declared

    def decide(self, request: dict[str, Any], now: float | None) -> dict[str, Any]:
        """Returns the decision on a request, as if it were the first. Raises BundleError for a damaged bundle."""
        return self._engine().decide(request, now)

    def search(self, request: dict[str, Any], now: float | None, with_results: bool) -> dict[str, Any]:
        """Returns the filter of a search, and with `with_results` the results among the registered resources (S2).

        Raises BundleError for a damaged bundle, SearchUnavailable for one of the profile `decision`, and UnusableModel
        for the results of a bundle.
        """
        answer = self.engine.filter(request, now)
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

    def _engine(self) -> Engine:
        """Returns the engine. If the model has rate limits, nothing was counted yet (C10)."""
        return self.engine.counting(RateCounters(COUNTER_BYTES)) if self.is_limited else self.engine


def tested_model(paths: Sequence[Path]) -> TestedModel:
    """Returns the model in some sources: one bundle, or documents and folders of them.

    Raises InvalidModel for a model with errors, UnusableModel for sources that can't be used, NoSources for a folder
    without documents, and OSError for a path that can't be read.
    """
    bundles = [path for path in paths if path.is_file() and is_bundle(path)]
    if not bundles:
        return _compiled(paths)
    if len(paths) > 1:
        raise UnusableModel(f"`{bundles[0]}` is a bundle, which is a whole model: name no other source beside it")
    try:
        bundle = open_bundle(bundles[0])
        return tested_bundle(bundle)
    except BundleError as ex:
        raise UnusableModel(bundle_sentence(bundles[0], ex)) from None


def tested_bundle(bundle: Bundle) -> TestedModel:
    """Returns the model in a bundle. Raises BundleError for a damaged one."""
    return _tested(Engine(bundle), bundle.program(), None, None)


def is_bundle(path: Path) -> bool:
    """Whether a file begins as a bundle does. Raises OSError."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _compiled(paths: Sequence[Path]) -> TestedModel:
    checked = check_sources(sources_of(paths))
    if checked.model is None:
        raise InvalidModel(checked)
    compiled = compile_model(checked.model, zones.zone_data, zones.VERSION)
    return _tested(Engine(bundle_in_memory(compiled.write)), compiled.program, compiled.facts.resources, checked.model)


def _tested(engine: Engine, program: Program, resources: Resources | None, model: Model | None) -> TestedModel:
    is_limited = any(isinstance(atom, Rate) for clause in program.clauses for atom in clause.body)
    return TestedModel(engine, program, resources, is_limited, declared_by(program, model))
