"""Tells a question for the presence of an attribute from other comparisons (C5)."""

from ...bundles.conditions.operators import Operator
from .elements import Condition


def is_presence(condition: Condition) -> bool:
    """Returns whether a condition holds whenever its attribute is present: `is present`, or `nin` with `[]`."""
    return condition.op == Operator.NIN and condition.value_of is None and condition.value == []
