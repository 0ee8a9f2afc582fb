"""The lint `extreme-bound`: a comparison by order that every value passes, or none (C4)."""

from collections.abc import Iterator, Sequence
from typing import Final

from ....bundles.conditions.operators import OPERATORS, ConstantKind, Operator
from ....bundles.conditions.values import Json, is_number
from ....bundles.wording import quoted
from ...checks.conditions_of import constants_of
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..prepared_policy import PreparedPolicy

LARGEST: Final = 1e100
"""The size of a number that no attribute reaches."""

_HELP: Final = "to ask whether the attribute is there, write `is present` (`nin` with `[]`)"


def extreme_bound(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each order against a number that no attribute reaches, or against the empty text."""
    for prepared in policies:
        for _, condition, path in constants_of(prepared.policy, prepared.index):
            if OPERATORS[condition.op].constant is ConstantKind.ORDERED and _is_extreme(condition.op, condition.value):
                message = f"{quoted(condition.value)} is no bound: {quoted(condition.key)} is always on the same side"
                yield Finding("extreme-bound", message, (*path, "value"), _HELP, severity="warning")


def _is_extreme(op: Operator, bound: Json) -> bool:
    """Returns whether all values are on one side. All texts but the empty one are above it."""
    if is_number(bound):
        return bool(abs(bound) >= LARGEST)
    return bound == "" and op in (Operator.GTE, Operator.LT)
