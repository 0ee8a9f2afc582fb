"""The lint `empty-list`: a condition with an empty list never holds, or holds for every array (C5, X6)."""

from collections.abc import Iterator, Sequence

from ...bundles.conditions.operators import OPERATORS, TAKES_LIST, Operator
from ...bundles.wording import quoted
from ..checks.conditions_of import constants_of
from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from .prepared_policy import PreparedPolicy


def empty_list(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each comparison with an empty array. But `nin` with one means that the attribute is present."""
    for prepared in policies:
        for _, condition, path in constants_of(prepared.policy, prepared.index):
            if TAKES_LIST[condition.op] and not OPERATORS[condition.op].is_negation and condition.value == []:
                is_of_arrays = condition.op is Operator.HAS_NONE
                meaning = "holds whenever the attribute is an array" if is_of_arrays else "never holds"
                message = f"{quoted(condition.op)} with an empty array {meaning}"
                yield Finding("empty-list", message, (*path, "value"), severity="warning")
