"""The lint `odd-pattern`: a pattern that matches more or less than its author probably meant (C6)."""

from collections.abc import Iterator, Sequence

from ....bundles.conditions.operators import Operator
from ....bundles.conditions.patterns import pattern_apart
from ....bundles.wording import quoted
from ...checks.both_sides import left_sides
from ...checks.conditions_of import LocatedCondition, constants_of
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..prepared_policy import PreparedPolicy
from .pattern_slips import Slip, slip_of


def odd_pattern(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each pattern with a slip, and about each that no declared value of its attribute matches."""
    known: dict[str, Slip | None] = {}
    for prepared in policies:
        for located in constants_of(prepared.policy, prepared.index):
            pattern = located.condition.value
            if located.condition.op is not Operator.REGEX or not isinstance(pattern, str):
                continue
            if pattern not in known:
                known[pattern] = slip_of(pattern)
            slip = known[pattern] or _unmatched(draft, prepared, located, pattern)
            if slip is not None:
                message = f"the pattern {quoted(pattern)} is odd: {slip.message}"
                yield Finding("odd-pattern", message, (*located.path, "value"), slip.help, severity="warning")


def _unmatched(draft: Draft, prepared: PreparedPolicy, located: LocatedCondition, pattern: str) -> Slip | None:
    """Returns the slip of a pattern if declarations list the values of the attribute, and none matches."""
    named, wildcard = left_sides(draft, prepared.policy, located.section, located.condition.key)
    listed = [side.stated.one_of if side.stated is not None else None for side in (*named, *wildcard)]
    if not listed or not all(listed):
        return None
    matches = pattern_apart(pattern)
    if any(matches(value) for values in listed for value in values or ()):
        return None
    key = quoted(located.condition.key)
    return Slip(f"no declared value of {key} matches it", "look at the `one_of` of the attribute")
