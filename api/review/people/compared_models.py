"""Compares two checked models by people. The command line and the service ask here."""

from collections.abc import Callable, Mapping
from typing import Any

from ....bundles import zones
from ....bundles.file.in_memory import bundle_in_memory
from ....compiler.analysis.compare import Comparison
from ....compiler.analysis.limits import DEFAULT, Limits
from ....compiler.analysis.models.model_side import model_side
from ....compiler.analysis.models.sides import Side
from ....compiler.analysis.regions import People
from ....compiler.analysis.witnesses.witness import Judge
from ....compiler.compile import compile_model
from ....compiler.model.elements import Model
from ....runtime import BadRequest, Engine, RateCounters
from ..testing.model_registry import ModelRegistry
from ..testing.tested_model import COUNTER_BYTES, TestedModel
from ..testing.undeclared import declared_by


def people_between(before: Model, after: Model, limits: Limits = DEFAULT) -> People:
    """Returns who gains and who loses if the model `before` becomes `after`."""
    (old, judge_old), (new, judge_new) = map(_compiled, (before, after))
    return compared(old, new, (judge_old, judge_new), limits)


def compared(old: Side, new: Side, judges: tuple[Judge, Judge], limits: Limits = DEFAULT) -> People:
    """Returns who gains and who loses from one side to the other. `judges` decide by the model of either side."""
    return Comparison(old, new, judges, zones.installed_zone, limits).run()


def judge_of(decide: Callable[[dict[str, Any], float | None], dict[str, Any]]) -> Judge:
    """Returns the judge that a function is which answers requests."""

    def judge(request: Mapping[str, Any], now: float) -> str | None:
        try:
            return str(decide(dict(request), now)["context"]["reason_code"])
        except BadRequest:  # the model refuses the request (E8)
            return None

    return judge


def _compiled(model: Model) -> tuple[Side, Judge]:
    compiled = compile_model(model, zones.zone_data, zones.VERSION)
    engine = Engine(bundle_in_memory(compiled.write), registry=ModelRegistry(model))
    tested = TestedModel(engine.counting(RateCounters(COUNTER_BYTES)), None, declared_by(compiled.program, model))
    return model_side(model, compiled), judge_of(tested.decide)
