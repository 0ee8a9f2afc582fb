"""Checks conditions against the declared attributes of resource types, subjects, the context and actions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from msgspec import UNSET

from ...bundles.conditions.attribute_keys import reads_own_key, steps_of
from ...bundles.conditions.operators import OF_ELEMENTS, OPERATORS, TAKES_LIST, ConstantKind, Operator
from ...bundles.conditions.references import GROUPS, NOW, read_value_of
from ...bundles.conditions.values import Json
from ...bundles.declarations.kinds import Choices, is_of, kind_hint
from ...bundles.wording import Path, described, quoted
from ..diagnostics.diagnostic import Finding
from ..lowering.lower import EVERYTHING
from ..model.declared import Kinds, declaration_of, type_of
from ..model.elements import (
    AttributeDeclaration,
    AttributeType,
    Condition,
    DeclaredAttributes,
    Policy,
    ResourceType,
)
from .conditions_of import LocatedCondition, conditions_of
from .draft import Draft, is_placeholder

GATE_KEYS = ("time", "ip", "ip_address")
"""The keys of the context that gates read (C8, C9). They need no declaration."""


_OF_INSTANTS = ("instant", "string")
"""The types of attributes whose values may be texts of instants (X5)."""


class _Declared(NamedTuple):
    """The declared attributes of something, which messages call `owner`."""

    owner: str
    attributes: Kinds


_GROUPS = (
    "`subject.groups` stands on the right only; to ask for one group, give it a role, which stands after `allow` or in"
    " `roles`"
)
_ROLES = "no condition reads roles: a role stands after `allow` or in `roles`"
_HELD: Final = {"groups": _GROUPS, "group": _GROUPS, "memberships": _GROUPS, "roles": _ROLES, "role": _ROLES}
"""The help for what a subject holds, in the place of an attribute."""


def check_attribute_types(draft: Draft) -> Iterator[Finding]:
    """Finds conditions on an attribute, or with a reference to one, that is not declared or does not fit its type."""
    for index, policy in enumerate(draft.model.policies):
        for located in conditions_of(policy, index):
            yield from _faults(draft, policy, *located)
            yield from _referred_faults(draft, policy, located)


def _faults(draft: Draft, policy: Policy, section: str, condition: Condition, path: Path) -> Iterator[Finding]:
    """Yields the faults of a condition on one attribute.

    A constant that the attribute has to equal must be one of its declared values, if there are such.

    A condition must fit every resource type that its policy names. If the policy names `*`, it must fit at least one
    type. A type without declared attributes fits every condition. A condition on the subject must fit at least one of
    the declared subject types, since a policy names none. If a dotted key is not declared, its first name must be
    declared as an object. The keys `id` and `type` of a resource and of a subject need no declaration (E6), and neither
    do the keys of the context that gates read.
    """
    declared = draft.attributes or DeclaredAttributes()
    if reads_own_key(section, condition.key):
        return
    match section:
        case "resource_attrs":
            yield from _resource_faults(draft, policy, condition, path)
        case "subject_attrs" if declared.subject is not None:
            yield from _subject_faults(draft, declared.subject, condition, path)
        case "context_attrs" if declared.context is not None and condition.key not in GATE_KEYS:
            yield from _misfits(draft, _Declared("the context", declared.context), condition, path)
        case "action_attrs" if declared.action is not None:
            yield from _misfits(draft, _Declared("an action", declared.action), condition, path)


def _referred_faults(draft: Draft, policy: Policy, located: LocatedCondition) -> Iterator[Finding]:
    """Yields the faults of the attribute to which a condition refers (X1)."""
    value_of = located.condition.value_of and read_value_of(located.condition.value_of)
    if not value_of or value_of == GROUPS or is_placeholder(located.condition.op):
        return
    kind = OPERATORS[located.condition.op].constant
    as_left = (
        Condition(value_of.key, Operator.EQ, [])  # it has to be an array
        if kind is ConstantKind.LIST
        else Condition(value_of.key, Operator.LT if kind is ConstantKind.ORDERED else Operator.EQ)
    )
    for fault in _faults(draft, policy, value_of.section, as_left, located.path):
        yield replace(fault, path=(*located.path, "value_of"))


def _resource_faults(draft: Draft, policy: Policy, condition: Condition, path: Path) -> Iterator[Finding]:
    named = dict.fromkeys(scope.resource_type_id for scope in policy.resource_types)
    for type_id in named:
        if type_id in draft.types:
            yield from _type_misfits(draft, draft.types[type_id], condition, path)
    if EVERYTHING in named and draft.all_types_read:
        misfits = [list(_type_misfits(draft, declared, condition, path)) for declared in draft.types.values()]
        if misfits and all(misfits):
            message = f"no resource type has an attribute {quoted(condition.key)} that fits this condition"
            yield Finding("unknown-attribute", message, (*path, "key"))


def _type_misfits(draft: Draft, declared: ResourceType, condition: Condition, path: Path) -> Iterator[Finding]:
    if declared.attributes is not None:
        owner = f"the resource type {quoted(declared.id)}"
        yield from _misfits(draft, _Declared(owner, declared.attributes), condition, path)


def _subject_faults(draft: Draft, types: Mapping[str, Kinds], condition: Condition, path: Path) -> Iterator[Finding]:
    """Yields the faults of a condition that fits no subject type: those on the first type that has its attribute."""
    misfits = []
    for type, attributes in types.items():
        misfits.append([*_misfits(draft, _Declared(f"the subject type {quoted(type)}", attributes), condition, path)])
        if not misfits[-1]:
            return
    declaring = [found for found in misfits if found[0].code != "unknown-attribute"]
    if declaring:
        yield from declaring[0]
    elif len(misfits) == 1:
        yield from misfits[0]
    else:
        (first, *_) = steps_of(condition.key) or (condition.key,)
        known = {key for attributes in types.values() for key in attributes}
        message = f"no subject type has an attribute {quoted(first)}"
        yield Finding(
            "unknown-attribute", message, (*path, "key"), draft.suggest(first, sorted(known)) or _HELD.get(first, "")
        )


def _misfits(draft: Draft, declared: _Declared, condition: Condition, path: Path) -> Iterator[Finding]:
    first, *rest = steps_of(condition.key) or (condition.key,)
    if condition.key in declared.attributes:
        stated = declaration_of(declared.attributes[condition.key])
        yield from _wrong_constants(declared, stated, condition, (*path, "value"))
    elif first not in declared.attributes:
        message = f"{declared.owner} has no attribute {quoted(first)}"
        held = _HELD.get(first, "") if path[3:4] == ("subject_attrs",) else ""
        help_text = draft.suggest(first, declared.attributes) or held
        yield Finding("unknown-attribute", message, (*path, "key"), help_text)
    elif rest and type_of(declared.attributes[first]) != "object":
        kind = type_of(declared.attributes[first])
        message = f"{quoted(first)} of {declared.owner} is declared as {kind}, not as object"
        yield Finding("attribute-type", message, (*path, "key"))


def _wrong_constants(
    declared: _Declared, stated: AttributeDeclaration, condition: Condition, path: Path
) -> Iterator[Finding]:
    kind, owner = stated.kind, f"{quoted(condition.key)} of {declared.owner}"
    name = f"{owner} is declared as {kind}"
    if is_placeholder(condition.op):
        return
    unfit = _unfit(condition.op, kind)
    if unfit:
        yield Finding("attribute-type", f"{name}, {unfit}", (*path[:-1], "op"))
        return
    if condition.value_of == NOW and kind not in _OF_INSTANTS:
        yield Finding("attribute-type", f"{name}, and `now` compares with instants only", (*path[:-1], "value_of"))
    choices = Choices(stated.one_of) if stated.one_of is not None and _equals(condition.op) else None
    for at, constant in _compared(condition, path):
        if constant is None:
            continue
        if not _is_free(condition.op) and not is_of(kind, constant):
            yield Finding("attribute-type", f"{name}, found {described(constant)}", at, kind_hint(kind, constant))
        elif choices is not None:
            yield from _unlisted(owner, choices, constant, at)


def _equals(op: Operator) -> bool:
    """Returns whether an operator compares for equality: an order or a pattern may name any constant."""
    return OPERATORS[op].names_its_values or OPERATORS[op].is_negation or OF_ELEMENTS[op]


def _is_free(op: Operator) -> bool:
    """Returns whether the constant of an operator need not be of the attribute's type: a pattern or an element."""
    return OPERATORS[op].constant is ConstantKind.PATTERN or OF_ELEMENTS[op]


def _unlisted(owner: str, choices: Choices, constant: Json, path: Path) -> Iterator[Finding]:
    """Yields each value of a constant that its declaration does not list. Of an array, these are its elements."""
    if constant in choices:  # an array whose elements are arrays has this one
        return
    elements = enumerate(constant) if isinstance(constant, list) else [(None, constant)]
    for place, value in elements:
        if value not in choices and value is not None:
            at = path if place is None else (*path, place)
            message = f"{owner} has no declared value like {described(value)}"
            yield Finding("attribute-value", message, at, choices.hint(value))


def _unfit(op: Operator, kind: AttributeType) -> str:
    """Returns why an operator can't compare attributes of a type, or "" if it can."""
    row = OPERATORS[op]
    return "" if row.reads is None or kind in row.reads else row.unfit


def _compared(condition: Condition, path: Path) -> Iterable[tuple[Path, Json]]:
    """Returns the constants that a condition compares with, and their paths."""
    if condition.value_of is not None or condition.value is UNSET:
        return []
    if not TAKES_LIST[condition.op]:
        return [(path, condition.value)]
    elements = condition.value if isinstance(condition.value, list) else []
    return [((*path, index), element) for index, element in enumerate(elements)]
