"""The lint `list-element`: `has` compares with a whole list, which an element of the array would have to be (X6)."""

from collections.abc import Iterator, Sequence
from typing import Final

from ....bundles.conditions.operators import OF_ELEMENTS, TAKES_LIST
from ....bundles.conditions.references import GROUPS, read_value_of
from ....bundles.wording import quoted
from ...checks.both_sides import declared_sides, left_sides
from ...checks.conditions_of import LocatedCondition, conditions_of
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...model.elements import Condition, Policy
from ..prepared_policy import PreparedPolicy

_HELP: Final = "for one of several elements, write `has any of` (`has_any`)"


def list_element(draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each comparison of elements with a list, unless lists are declared as elements."""
    for prepared in policies:
        for located in conditions_of(prepared.policy, prepared.index):
            condition = located.condition
            if OF_ELEMENTS[condition.op] and not _has_lists(draft, prepared.policy, located):
                member = _list_of(draft, condition)
                if member is not None:
                    message = (
                        f"{quoted(condition.op)} asks for an element of {quoted(condition.key)} that is a whole list"
                    )
                    yield Finding("list-element", message, (*located.path, member), _HELP, severity="warning")


def _has_lists(draft: Draft, policy: Policy, located: LocatedCondition) -> bool:
    """Returns whether a declaration says that elements of the attribute are lists."""
    named, wildcard = left_sides(draft, policy, located.section, located.condition.key)
    return any("array" in (side.elements or ()) for side in (*named, *wildcard))


def _list_of(draft: Draft, condition: Condition) -> str | None:
    """Returns the member with a list, or None. A list of a list operator has the elements, so its elements count."""
    if condition.value_of is None:
        value = condition.value
        several = value if TAKES_LIST[condition.op] and isinstance(value, list) else [value]
        return "value" if any(isinstance(one, list) for one in several) else None
    value_of = read_value_of(condition.value_of)
    if TAKES_LIST[condition.op] or value_of is None:
        return None
    sides = declared_sides(draft, value_of.section, value_of.key)
    is_list = value_of == GROUPS or all(side.kind == "array" for side in sides)
    return "value_of" if is_list else None
