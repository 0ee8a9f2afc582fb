"""The lint `empty-list`: a condition with an empty list never holds, or holds for every present attribute (C5)."""

from collections.abc import Iterator, Sequence

from ...bundles.conditions.operators import OPERATORS, TAKES_LIST
from ...bundles.wording import quoted
from ..checks.conditions_of import conditions_of
from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from .prepared_policy import PreparedPolicy


def empty_list(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each `in` and `nin` with an empty array."""
    for prepared in policies:
        for _, condition, path in conditions_of(prepared.policy, prepared.index):
            if TAKES_LIST[condition.op] and condition.value == []:
                is_negation = OPERATORS[condition.op].is_negation
                meaning = "holds whenever the attribute is present" if is_negation else "never holds"
                message = f"{quoted(condition.op)} with an empty array {meaning}"
                yield Finding("empty-list", message, (*path, "value"), severity="warning")
