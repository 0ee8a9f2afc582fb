"""Checks that the two sides of a reference can compare, by the declarations of both (X2)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ...bundles.conditions.attribute_keys import reads_own_key, steps_of
from ...bundles.conditions.constants import CanonicalKey, canonical_key
from ...bundles.conditions.operators import OF_ELEMENTS, OPERATORS, TAKES_LIST, ConstantKind, Operator
from ...bundles.conditions.references import GROUPS, may_stand_in, read_value_of, takes_reference
from ...bundles.declarations.kinds import ValueKind, kind_of
from ...bundles.wording import joined, quoted
from ..diagnostics.diagnostic import Finding
from ..lowering.lower import EVERYTHING
from ..model.declared import Kinds, declaration_of
from ..model.elements import AttributeDeclaration, DeclaredAttributes, Policy
from .attribute_types import GATE_KEYS
from .conditions_of import LocatedCondition, conditions_of
from .draft import Draft, is_placeholder


@dataclass(frozen=True, slots=True)
class Side:
    """The declaration of one side of a comparison.

    `kind` is the JSON type of the value, `elements` are those of the elements of an array, and `choices` the only
    values, or the only elements. Each is None if nothing is declared. `stated` is the declaration, or None for ids,
    groups, the time and the address, which need none.
    """

    name: str = ""
    kind: ValueKind | None = None
    elements: frozenset[ValueKind] | None = None
    choices: frozenset[CanonicalKey] | None = None
    stated: AttributeDeclaration | None = None


_ANYTHING = Side()
_ORDERED: Final = ("number", "string", None)
"""The types of values that have an order, and None for a side of which nothing is declared (C4)."""


def check_both_sides(draft: Draft) -> Iterator[Finding]:
    """Finds references whose two sides never compare: they are declared as different types, or share no value.

    Each resource type that a policy names must have a partner on the other side. A subject may be of any declared type,
    so one is enough.
    """
    for index, policy in enumerate(draft.model.policies):
        for located in conditions_of(policy, index):
            yield from _faults(draft, policy, located)


def _faults(draft: Draft, policy: Policy, located: LocatedCondition) -> Iterator[Finding]:
    condition = located.condition
    value_of = read_value_of(condition.value_of) if condition.value_of is not None else None
    if value_of is None or any(map(is_placeholder, (condition.op, condition.key, str(condition.value_of)))):
        return
    if not takes_reference(condition.op) or not may_stand_in(value_of, located.section):
        return
    named, wildcard = left_sides(draft, policy, located.section, condition.key)
    right = (
        [Side("`subject.groups` has texts", "array", frozenset({"string"}))]
        if value_of == GROUPS
        else declared_sides(draft, value_of.section, value_of.key)
    )
    for alternatives in [[side] for side in named] + ([wildcard] if wildcard else []):
        reasons = [_reason(condition.op, left, other) for left in alternatives for other in right]
        if reasons and all(reasons):
            code, message = next(filter(None, reasons))
            yield Finding(code, message, (*located.path, "value_of"))
            return


def left_sides(draft: Draft, policy: Policy, section: str, key: str) -> tuple[list[Side], list[Side]]:
    """Returns the sides that must each fit, and those of which one must."""
    if section != "resource_attrs":
        return [], declared_sides(draft, section, key)
    types = dict.fromkeys(scope.resource_type_id for scope in policy.resource_types)
    named = [side_of_type(draft, type, key) for type in types if type in draft.types]
    if EVERYTHING not in types or not draft.all_types_read:
        return named, []
    return named, [side_of_type(draft, type, key) for type in draft.types]


def side_of_type(draft: Draft, type: str, key: str) -> Side:
    """Returns the declaration of an attribute of a resource type."""
    return _side(f"the resource type {quoted(type)}", draft.types[type].attributes, "resource_attrs", key)


def declared_sides(draft: Draft, section: str, key: str) -> list[Side]:
    """Returns the possible declarations of a value of the subject, the context or the action."""
    declared = draft.attributes or DeclaredAttributes()
    match section:
        case "subject_attrs":
            types: Mapping[str, Kinds] = declared.subject or {}
            found = [_side(f"the subject type {quoted(type)}", one, section, key) for type, one in types.items()]
            # A type without the attribute has nothing to compare. If all lack it, that is another fault.
            return [side for side, one in zip(found, types.values(), strict=True) if _knows(one, section, key)] or [
                _side("a subject", None, section, key)
            ]
        case "context_attrs":
            return [_side("the context", declared.context, section, key)]
        case _:
            return [_side("an action", declared.action, section, key)]


def _knows(attributes: Kinds, section: str, key: str) -> bool:
    return reads_own_key(section, key) or key in attributes or (steps_of(key) or (key,))[0] in attributes


def _side(owner: str, attributes: Kinds | None, section: str, key: str) -> Side:
    if reads_own_key(section, key):
        return Side(f"{quoted(key)} of {owner} is a text", "string")
    if attributes is not None and key in attributes:
        stated = declaration_of(attributes[key])
        return _of(f"{quoted(key)} of {owner}", stated)
    if section == "context_attrs" and key in GATE_KEYS:
        return Side(f"{quoted(key)} of {owner} is a text", "string")
    return _ANYTHING


def _of(owner: str, stated: AttributeDeclaration) -> Side:
    if is_placeholder(stated.kind):
        return _ANYTHING
    name = f"{owner} is declared as {stated.kind}"
    kind: ValueKind = "string" if stated.kind == "instant" else stated.kind
    if not stated.one_of:
        return Side(name, kind, stated=stated)
    choices = frozenset(map(canonical_key, stated.one_of))
    if kind != "array":
        return Side(name, kind, choices=choices, stated=stated)
    elements = frozenset(one for value in stated.one_of if (one := kind_of(value)) is not None)
    return Side(f"{name} of {joined(sorted(elements), 'or')}", kind, elements, choices, stated)


def _reason(op: Operator, left: Side, right: Side) -> tuple[str, str] | None:
    """Returns the code and the message of two sides that never compare, or None.

    A side that the operator can't compare at all has another fault, so this says nothing about it. Nor does it say
    anything if neither side is declared: a constant is not checked then either.
    """
    if left.stated is None and right.stated is None:
        return None
    of_elements, in_list = OF_ELEMENTS[op], TAKES_LIST[op]
    is_order = OPERATORS[op].constant is ConstantKind.ORDERED
    if (of_elements and left.kind != "array") or (in_list and right.kind != "array"):
        return None
    if is_order and right.stated is None and right.kind == "array" and left.kind in _ORDERED:  # the groups
        return "attribute-type", f"{left.name}, and {right.name}, so the two never compare"
    if is_order and any(side.kind not in _ORDERED for side in (left, right)):
        return None
    if _apart(_kinds(left, of_elements), _kinds(right, in_list)):
        return "attribute-type", f"{left.name}, and {right.name}, so the two never compare"
    of_one_form = (left.kind == "array") == of_elements and (right.kind == "array") == in_list
    if not is_order and of_one_form and _apart(left.choices, right.choices):
        return "attribute-value", f"{left.name}, and {right.name}, and they have no declared value in common"
    return None


def _kinds(side: Side, of_elements: bool) -> frozenset[ValueKind] | None:
    if of_elements:
        return side.elements
    return None if side.kind is None else frozenset({side.kind})


def _apart(left: frozenset[Any] | None, right: frozenset[Any] | None) -> bool:
    return left is not None and right is not None and left.isdisjoint(right)
