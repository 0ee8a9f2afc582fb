"""The model that the tests of a file ask: model documents, which are compiled in memory, or a bundle file."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ....bundles import zones
from ....bundles.errors import BundleError
from ....bundles.file.in_memory import bundle_in_memory
from ....bundles.file.reader import Bundle, open_bundle
from ....bundles.program.clauses import Program
from ....compiler.compile import compile_model
from ....compiler.model.elements import Model
from ....runtime import Engine, RateCounters
from ...engines.live.build import InvalidModel, check_sources, sources_of
from ...review.testing.tested_model import COUNTER_BYTES, Resources, TestedModel, UnusableModel
from ...review.testing.undeclared import declared_by
from ..named_model import is_bundle
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


def tested_bundle(bundle: Bundle) -> SourceModel:
    """Returns the model in a bundle. Raises BundleError for a damaged one."""
    return _tested(Engine(bundle), bundle.program(), None, None)


def _compiled(paths: Sequence[Path]) -> SourceModel:
    checked = check_sources(sources_of(paths))
    if checked.model is None:
        raise InvalidModel(checked)
    compiled = compile_model(checked.model, zones.zone_data, zones.VERSION)
    return _tested(
        Engine(bundle_in_memory(compiled.write)), compiled.program, compiled.facts.registered(), checked.model
    )


def _tested(engine: Engine, program: Program, resources: Resources | None, model: Model | None) -> SourceModel:
    counting = engine.counting(RateCounters(COUNTER_BYTES))
    return SourceModel(counting, resources, declared_by(program, model), program)
