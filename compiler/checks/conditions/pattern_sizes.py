"""Checks that the patterns of all policies together are not too large to search for (C6)."""

from collections.abc import Iterator
from itertools import islice

from ....bundles.conditions.operators import Operator
from ....bundles.conditions.patterns import searched_instructions
from ...diagnostics.diagnostic import Finding
from ...limits import DEFAULTS, Limits
from ...model.elements import Policy
from ..conditions_of import constants_of
from ..draft import Draft


def check_pattern_sizes(draft: Draft) -> Iterator[Finding]:
    """Reports the policies if their patterns compile to more RE2 instructions, all together, than the limit.

    A pattern that several conditions repeat counts once, and a pattern of plain text does not count.
    """
    sizes: dict[str, int] = {}
    for policy in draft.model.policies:
        sizes |= pattern_sizes(policy, draft.limits.policy_conditions)
    found = too_many_instructions(sum(sizes.values()), draft.limits)
    if found is not None:
        yield found


def pattern_sizes(policy: Policy, conditions: int = DEFAULTS.policy_conditions) -> dict[str, int]:
    """Returns the patterns of a policy that need a search, with their RE2 instructions.

    It reads the first `conditions` conditions, since more are a fault. It leaves out patterns that RE2 rejects or that
    exceed a limit, since `check_constants` finds them.
    """
    sizes: dict[str, int] = {}
    for _, condition, _ in islice(constants_of(policy, 0), conditions):
        if condition.op == Operator.REGEX and isinstance(condition.value, str):
            try:
                size = searched_instructions(condition.value)
            except ValueError:
                continue
            if size:
                sizes[condition.value] = size
    return sizes


def too_many_instructions(total: int, limits: Limits) -> Finding | None:
    """Returns a finding if `total` RE2 instructions are more than `limits.model_pattern_instructions`, or None."""
    limit = limits.model_pattern_instructions
    if total <= limit:
        return None
    message = f"the patterns of all policies compile to {total} instructions, the limit is {limit}"
    help_text = "use fewer different patterns, or plain text after `^` or before `$`, which does not count"
    return Finding("too-many-instructions", message, ("policies",), help_text)
