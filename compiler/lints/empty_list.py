"""The lint `empty-list`: an empty list constant holds never, or whenever the attribute is present (C5)."""

from collections.abc import Iterator, Sequence

from ...bundles.conditions.operators import TAKES_LIST, Operator
from ...bundles.wording import quoted
from ..checks.conditions_of import conditions_of
from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from .prepared_policy import PreparedPolicy

_MEANING = {Operator.IN: "never holds", Operator.NIN: "holds whenever the attribute is present"}


def empty_list(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warn of `in` and `nin` with an empty array."""
    for prepared in policies:
        for _, condition, path in conditions_of(prepared.policy, prepared.index):
            if TAKES_LIST[condition.op] and condition.value == []:
                message = f"{quoted(condition.op)} with an empty array {_MEANING[condition.op]}"
                yield Finding("empty-list", message, (*path, "value"), severity="warning")
