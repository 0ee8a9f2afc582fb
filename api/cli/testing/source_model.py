"""The model that the tests of a file ask: model documents, which are compiled in memory, or a bundle file."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ....bundles.errors import BundleError
from ....bundles.file.reader import Bundle
from ....bundles.program.clauses import Program
from ....compiler.model.elements import Model
from ....runtime import Engine, RateCounters
from ...review.testing.compiled_model import compiled_to_ask
from ...review.testing.model_registry import ModelRegistry
from ...review.testing.tested_model import COUNTER_BYTES, TestedModel, UnusableModel
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
    engine, program = Engine(bundle, registry=registry), bundle.program()
    return SourceModel(engine.counting(RateCounters(COUNTER_BYTES)), None, declared_by(program, None), program)


def _compiled(model: Model) -> SourceModel:
    compiled, tested = compiled_to_ask(model)
    return SourceModel(tested.engine, compiled.facts.registered(), tested.declared, compiled.program)
