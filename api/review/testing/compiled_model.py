"""Compiles a checked model in memory, ready to be asked by tests and by analyses."""

from ....bundles import zones
from ....bundles.file.in_memory import bundle_in_memory
from ....compiler.compile import Compiled, compile_model
from ....compiler.model.elements import Model
from ....runtime import Engine, RateCounters
from .model_registry import ModelRegistry
from .tested_model import COUNTER_BYTES, TestedModel
from .undeclared import declared_by


def compiled_to_ask(model: Model) -> tuple[Compiled, TestedModel]:
    """Returns a model compiled, and as tests ask it. Its registered resources are not listed, for that takes time."""
    compiled = compile_model(model, zones.zone_data, zones.VERSION)
    engine = Engine(bundle_in_memory(compiled.write), registry=ModelRegistry(model))
    return compiled, TestedModel(
        engine.counting(RateCounters(COUNTER_BYTES)), None, declared_by(compiled.program, model)
    )
