"""Checks conditions against the declared attributes of resource types, subjects, the context and actions."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...bundles.conditions.attribute_keys import reads_own_key, steps_of
from ...bundles.conditions.operators import OPERATORS, TAKES_LIST, Operator
from ...bundles.conditions.values import Json, is_number
from ...bundles.wording import Path, described, quoted
from ..diagnostics.diagnostic import Finding
from ..lowering.lower import EVERYTHING
from ..model.elements import AttributeType, Condition, DeclaredAttributes, Key, Policy, ResourceType
from ..model.joined_attributes import type_of
from .conditions_of import conditions_of
from .draft import Draft, is_placeholder

GATE_KEYS = ("time", "ip", "ip_address")
"""The keys of the context that gates read (C8, C9). They need no declaration."""

_SAID_IN_TEXTS: Mapping[AttributeType, re.Pattern[str]] = {
    "number": re.compile(r"(?a:-?(?:0|[1-9]\d{0,14})(?:\.\d{1,14})?)"),
    "boolean": re.compile("true|false"),
}
"""The texts that say a value of another type, by that type."""


class _Declared(NamedTuple):
    """The declared attributes of something, which messages call `owner`."""

    owner: str
    attributes: Mapping[Key, AttributeType]


def check_attribute_types(draft: Draft) -> Iterator[Finding]:
    """Finds conditions with an undeclared attribute, or with an operator or a constant that does not fit its type.

    A condition must fit every resource type that its policy names. If the policy names `*`, it must fit at least one
    type. A type without declared attributes fits every condition. A condition on the subject must fit at least one of
    the declared subject types, since a policy names none. If a dotted key is not declared, its first name must be
    declared as an object. The keys `id` and `type` of a resource and of a subject need no declaration (E6), and neither
    do the keys of the context that gates read.
    """
    declared = draft.attributes or DeclaredAttributes()
    for index, policy in enumerate(draft.model.policies):
        for section, condition, path in conditions_of(policy, index):
            if reads_own_key(section, condition.key):
                continue
            match section:
                case "resource_attrs":
                    yield from _resource_faults(draft, policy, condition, path)
                case "subject_attrs" if declared.subject is not None:
                    yield from _subject_faults(draft, declared.subject, condition, path)
                case "context_attrs" if declared.context is not None and condition.key not in GATE_KEYS:
                    kinds = {key: type_of(kind) for key, kind in declared.context.items()}
                    yield from _misfits(draft, _Declared("the context", kinds), condition, path)
                case "action_attrs" if declared.action is not None:
                    yield from _misfits(draft, _Declared("an action", declared.action), condition, path)


def kind_of(value: Json) -> AttributeType | None:
    """Returns the attribute type of `value`, or None for null and for a value that could not be read.

    >>> kind_of(True), kind_of(1.5), kind_of({})
    ('boolean', 'number', 'object')
    """
    if isinstance(value, bool):
        return "boolean"
    if is_number(value):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list):
        return "array"
    return "object" if isinstance(value, dict) else None


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


def _subject_faults(
    draft: Draft, types: Mapping[str, Mapping[Key, AttributeType]], condition: Condition, path: Path
) -> Iterator[Finding]:
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
        yield Finding("unknown-attribute", message, (*path, "key"), draft.suggest(first, sorted(known)))


def _misfits(draft: Draft, declared: _Declared, condition: Condition, path: Path) -> Iterator[Finding]:
    first, *rest = steps_of(condition.key) or (condition.key,)
    if condition.key in declared.attributes:
        yield from _wrong_constants(declared, declared.attributes[condition.key], condition, (*path, "value"))
    elif first not in declared.attributes:
        message = f"{declared.owner} has no attribute {quoted(first)}"
        yield Finding("unknown-attribute", message, (*path, "key"), draft.suggest(first, declared.attributes))
    elif rest and declared.attributes[first] != "object":
        kind = declared.attributes[first]
        message = f"{quoted(first)} of {declared.owner} is declared as {kind}, not as object"
        yield Finding("attribute-type", message, (*path, "key"))


def _wrong_constants(declared: _Declared, kind: AttributeType, condition: Condition, path: Path) -> Iterator[Finding]:
    name = f"{quoted(condition.key)} of {declared.owner} is declared as {kind}"
    if is_placeholder(condition.op):
        return
    unfit = _unfit(condition.op, kind)
    if unfit:
        yield Finding("attribute-type", f"{name}, {unfit}", (*path[:-1], "op"))
        return
    for at, constant in _compared(condition, path):
        if kind_of(constant) not in (kind, None):
            yield Finding("attribute-type", f"{name}, found {described(constant)}", at, _without_quotes(constant, kind))


def _without_quotes(constant: Json, kind: AttributeType) -> str:
    """Returns the help for a text that says a number or a truth value where one is declared, or ""."""
    pattern = _SAID_IN_TEXTS.get(kind)
    if pattern is None or not isinstance(constant, str) or not pattern.fullmatch(constant):
        return ""
    return f"leave the quotes out: {quoted(constant)}"


def _unfit(op: Operator, kind: AttributeType) -> str:
    """Returns why an operator can't compare attributes of a type, or "" if it can."""
    row = OPERATORS[op]
    return "" if row.reads is None or kind in row.reads else row.unfit


def _compared(condition: Condition, path: Path) -> Iterable[tuple[Path, Json]]:
    """Returns the single values that a condition compares with, and their paths."""
    if not TAKES_LIST[condition.op]:
        return [(path, condition.value)]
    elements = condition.value if isinstance(condition.value, list) else []
    return [((*path, index), element) for index, element in enumerate(elements)]
