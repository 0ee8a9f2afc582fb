"""The attribute conditions of a policy, one after the other."""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec import UNSET

from ...bundles.program.clauses import ATTRIBUTE_SECTIONS, AttributeSection
from ...bundles.wording import Path
from ..model.elements import Condition, Policy


class LocatedCondition(NamedTuple):
    """A condition, its section, and its path in the model."""

    section: AttributeSection
    condition: Condition
    path: Path


def constants_of(policy: Policy, index: int) -> Iterator[LocatedCondition]:
    """Yields those attribute conditions of the policy at `index` that compare with a constant."""
    return (
        located
        for located in conditions_of(policy, index)
        if located.condition.value_of is None and located.condition.value is not UNSET
    )


def conditions_of(policy: Policy, index: int) -> Iterator[LocatedCondition]:
    """Yields the attribute conditions of the policy at `index` of the model."""
    if policy.conditions is None:
        return
    for section in ATTRIBUTE_SECTIONS:
        for place, condition in enumerate(getattr(policy.conditions, section) or ()):
            yield LocatedCondition(section, condition, ("policies", index, "conditions", section, place))
