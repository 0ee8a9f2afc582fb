"""Checks conditions on resources against the attributes that the resource types declare."""

from collections.abc import Iterable, Iterator
from typing import assert_never

from ...bundles.conditions.keys import reads_own_key, steps_of
from ...bundles.conditions.operators import TAKES_LIST, Operator
from ...bundles.conditions.values import Json, is_number
from ...bundles.wording import Path, described, quoted
from ..diagnostics.diagnostic import Finding
from ..lowering.lower import EVERYTHING
from ..model.elements import AttributeType, Condition, Policy, ResourceType
from .conditions_of import conditions_of
from .draft import Draft, is_placeholder

_SECTION = "resource_attrs"


def check_attribute_types(draft: Draft) -> Iterator[Finding]:
    """Finds conditions with an undeclared attribute, or with an operator or a constant that does not fit its type.

    A condition must fit every resource type that its policy names. If the policy names `*`, it must fit at least one
    type. A type without declared attributes fits every condition. If a dotted key is not declared, its first name must
    be declared as an object. The keys `id` and `type` need no declaration (E6).
    """
    for index, policy in enumerate(draft.model.policies):
        for section, condition, path in conditions_of(policy, index):
            if section == _SECTION and not reads_own_key(section, condition.key):
                yield from _faults(draft, policy, condition, path)


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


def _faults(draft: Draft, policy: Policy, condition: Condition, path: Path) -> Iterator[Finding]:
    named = dict.fromkeys(scope.resource_type_id for scope in policy.resource_types)
    for type_id in named:
        if type_id in draft.types:
            yield from _misfits(draft, draft.types[type_id], condition, path)
    if EVERYTHING in named and draft.all_types_read:
        misfits = [list(_misfits(draft, declared, condition, path)) for declared in draft.types.values()]
        if misfits and all(misfits):
            message = f"no resource type has an attribute {quoted(condition.key)} that fits this condition"
            yield Finding("unknown-attribute", message, (*path, "key"))


def _misfits(draft: Draft, declared: ResourceType, condition: Condition, path: Path) -> Iterator[Finding]:
    if declared.attributes is None:
        return
    first, *rest = steps_of(condition.key) or (condition.key,)
    if condition.key in declared.attributes:
        yield from _wrong_constants(declared, declared.attributes[condition.key], condition, (*path, "value"))
    elif first not in declared.attributes:
        message = f"the resource type {quoted(declared.id)} has no attribute {quoted(first)}"
        yield Finding("unknown-attribute", message, (*path, "key"), draft.suggest(first, declared.attributes))
    elif rest and declared.attributes[first] != "object":
        kind = declared.attributes[first]
        message = f"{quoted(first)} of the resource type {quoted(declared.id)} is declared as {kind}, not as object"
        yield Finding("attribute-type", message, (*path, "key"))


def _wrong_constants(
    declared: ResourceType, kind: AttributeType, condition: Condition, path: Path
) -> Iterator[Finding]:
    name = f"{quoted(condition.key)} of the resource type {quoted(declared.id)} is declared as {kind}"
    if is_placeholder(condition.op):
        return
    unfit = _unfit(condition.op, kind)
    if unfit:
        yield Finding("attribute-type", f"{name}, {unfit}", (*path[:-1], "op"))
        return
    for at, constant in _compared(condition, path):
        if kind_of(constant) not in (kind, None):
            yield Finding("attribute-type", f"{name}, found {described(constant)}", at)


def _unfit(op: Operator, kind: AttributeType) -> str:
    """Returns why an operator can't compare attributes of a type, or "" if it can."""
    match op:
        case Operator.EQ | Operator.NE | Operator.IN | Operator.NIN:
            return ""
        case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
            return "" if kind in ("number", "string") else "which has no order"
        case Operator.REGEX:
            return "" if kind == "string" else "and `regex` reads strings only"
        case _:
            assert_never(op)


def _compared(condition: Condition, path: Path) -> Iterable[tuple[Path, Json]]:
    """Returns the single values that a condition compares with, and their paths."""
    if not TAKES_LIST[condition.op]:
        return [(path, condition.value)]
    elements = condition.value if isinstance(condition.value, list) else []
    return [((*path, index), element) for index, element in enumerate(elements)]
