"""The lint `text-instant`: an attribute that is declared as a string is compared with `now` (X5)."""

from collections.abc import Iterator, Sequence
from typing import Final

from ....bundles.conditions.references import NOW
from ....bundles.wording import quoted
from ...checks.both_sides import left_sides
from ...checks.conditions_of import conditions_of
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..prepared_policy import PreparedPolicy

_HELP: Final = "declare it as `instant`, or compare another attribute"


def text_instant(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each comparison with `now` of an attribute that a declaration calls a text of any kind."""
    for prepared in policies:
        for section, condition, path in conditions_of(prepared.policy, prepared.index):
            if condition.value_of != NOW:
                continue
            named, wildcard = left_sides(draft, prepared.policy, section, condition.key)
            if any(side.stated is not None and side.stated.kind == "string" for side in (*named, *wildcard)):
                message = f"{quoted(condition.key)} is compared with the time, but is declared as string"
                yield Finding("text-instant", message, (*path, "key"), _HELP, severity="warning")
