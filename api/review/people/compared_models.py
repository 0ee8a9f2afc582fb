"""Compares two checked models by people. The command line and the service ask here."""

from collections.abc import Callable, Mapping
from typing import Any

from ....bundles import zones
from ....compiler.analysis.compare import Comparison
from ....compiler.analysis.limits import DEFAULT, Limits
from ....compiler.analysis.models.model_side import model_side
from ....compiler.analysis.models.sides import Side
from ....compiler.analysis.regions import People
from ....compiler.analysis.witnesses.witness import Judge
from ....compiler.model.elements import Model
from ....runtime import BadRequest
from ..testing.compiled_model import compiled_to_ask


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
    compiled, tested = compiled_to_ask(model)
    return model_side(model, compiled), judge_of(tested.decide)
