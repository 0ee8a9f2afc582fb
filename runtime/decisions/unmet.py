"""Names the demands that a denied request does not meet: attributes that it lacks, or that can't be read (C12, C13)."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from ...bundles.program.demands import LACKS, MISFITS, Demand, Fault
from ...bundles.wording import joined, quoted
from ..requests.members import Attributes, BadRequest
from ..rules.conditions import fault_of
from ..rules.reasons import Answer, ReasonCode
from ..rules.rule import Rule
from ..rules.specialise import Specialised

MOST_NAMED: Final = 8
"""The attributes that a reason names. It counts the others."""


def naming_unmet(answer: Answer, specialised: Specialised, a: Attributes, c: Attributes) -> Answer:
    """Returns the same answer. If the rule that denied, or an ALLOW that failed, relies on attributes that do not meet
    their demands, its reason says so.

    `a` are the properties of the action, and `c` is the context of the request.
    """
    if answer.allowed:
        return answer
    denied_by, code = answer.context.get("denied_by"), answer.context["reason_code"]
    if denied_by is not None:
        rules: Iterable[Rule] = (rule for rule in specialised.denies if rule.clause.policy == denied_by)
    else:
        rules = specialised.allows if code == ReasonCode.CONDITION_FAILED else ()
    demands = {demand for rule in rules for some in rule.body.demands for demand in some}
    faults = {f"{demand.section.removesuffix('_attrs')}.{demand.key}": _fault(demand, a, c) for demand in demands}
    lacks, misfits = (sorted(name for name, one in faults.items() if one == fault) for fault in (LACKS, MISFITS))
    reason = answer.context["reason"]
    if lacks:
        reason += f"; the request lacks {_named(lacks)}, which the model requires"
    if misfits:
        reason += f"; the model declares {_named(misfits)} with other values than the request sends"
    return replace(answer, context=answer.context | {"reason": reason}) if lacks or misfits else answer


def _fault(demand: Demand, a: Attributes, c: Attributes) -> Fault | None:
    """Returns the fault of an attribute. The answer did not need a value that JSON has not, so it has none."""
    try:
        return fault_of(demand, a, c)
    except BadRequest:
        return None


def _named(names: list[str]) -> str:
    shown = [quoted(name) for name in names[:MOST_NAMED]]
    if len(names) > MOST_NAMED:
        shown.append(f"{len(names) - MOST_NAMED} more")
    return joined(shown, "and")
