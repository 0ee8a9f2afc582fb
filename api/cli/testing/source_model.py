"""The model that the tests of a file ask: model documents, which are compiled in memory, or a bundle file."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ....bundles import zones
from ....bundles.errors import BundleError
from ....bundles.file.in_memory import bundle_in_memory
from ....bundles.file.reader import Bundle
from ....bundles.program.clauses import Program
from ....compiler.compile import compile_model
from ....compiler.model.elements import Model
from ....runtime import Engine, RateCounters
from ...review.testing.model_registry import ModelRegistry
from ...review.testing.tested_model import COUNTER_BYTES, Resources, TestedModel, UnusableModel
from ...review.testing.undeclared import declared_by
from ..named_model import model_at
from ..sentences import bundle_sentence


@dataclass(frozen=True, slots=True)
class SourceModel(TestedModel):
    """A model in sources. `program` is what it is compiled to."""

    program: Program


def source_model(paths: Sequence[Path]) -> SourceModel:
    """Returns the model in some sources: one bundle, or documents and folders of them.

    Raises InvalidModel for a model with errors, UnusableModel for sources that can't be used, NoSources for a folder
    without documents, and OSError for a path that can't be read.
    """
    try:
        found = model_at(paths)
        return tested_bundle(found, None) if isinstance(found, Bundle) else _compiled(found)
    except BundleError as ex:
        raise UnusableModel(bundle_sentence(paths[0], ex)) from None


def tested_bundle(bundle: Bundle, model: Model | None) -> SourceModel:
    """Returns the model in a bundle. `model` is what it was compiled from, if that is known.

    Raises BundleError for a damaged bundle.
    """
    registry = None if model is None else ModelRegistry(model)
    return _tested(Engine(bundle, registry=registry), bundle.program(), None, None)


def _compiled(model: Model) -> SourceModel:
    compiled = compile_model(model, zones.zone_data, zones.VERSION)
    engine = Engine(bundle_in_memory(compiled.write), registry=ModelRegistry(model))
    return _tested(engine, compiled.program, compiled.facts.registered(), model)


def _tested(engine: Engine, program: Program, resources: Resources | None, model: Model | None) -> SourceModel:
    counting = engine.counting(RateCounters(COUNTER_BYTES))
    return SourceModel(counting, resources, declared_by(program, model), program)
