"""Words the comparison of an attribute with the instant of the request (X5)."""

from collections.abc import Mapping
from typing import Any, Final

from ....bundles.conditions.instants import read_instant
from ....bundles.conditions.operators import Operator
from ....bundles.conditions.references import NOW
from ....bundles.conditions.trees.instant_comparisons import instant_of_text
from .comparison_words import Predicate, consequence
from .plain_values import short_value

_REQUEST: Final = "the time of the request"
_INSTANTS: Final[Mapping[str, str]] = {
    Operator.LT: "an instant before",
    Operator.LTE: "an instant not after",
    Operator.GT: "an instant after",
    Operator.GTE: "an instant not before",
}


def predicate_of_now(op: Operator, found: str = "") -> Predicate:
    """Returns the predicate of a comparison with `now`. `found` is the instant that was compared with.

    >>> predicate_of_now(Operator.LTE).holds
    'is an instant not after the time of the request'
    """
    words = f"{_instant(op)} {_REQUEST}{found and f' ({found})'}"
    return Predicate(f"is {words}", f"must be {words}")


def is_of_now(condition: Mapping[str, Any]) -> bool:
    """Returns whether a condition of a proof compares with `now`."""
    return condition.get("value_of") == NOW


def now_sentence(condition: Mapping[str, Any], name: str, owner: str, actual: str, effect: str) -> str:
    """Returns one sentence about a comparison of a proof with `now`. `actual` is the attribute's value, in words."""
    value = condition["value"]
    required = f"the policy requires {_instant(condition['op'])} {_REQUEST} ({short_value(value)})"
    if condition.get("missing"):
        return f"The request sends no {name} of the {owner}, and {required}."
    found = f"The {name} of the {owner} is {actual}"
    follows = consequence(condition["holds"], effect)
    if instant_of_text(condition["actual"]) is None:
        return f"{found}, which can't be read as an instant, so {follows}."
    if read_instant(value) is None:
        return f"{found}, but {_REQUEST} ({short_value(value)}) can't be read, so {follows}."
    if condition["holds"]:
        return f"{found}, {_instant(condition['op'])} {_REQUEST} ({short_value(value)})."
    return f"{found}, but {required}."


def _instant(op: str) -> str:
    return _INSTANTS.get(op, f"an instant {op}")
