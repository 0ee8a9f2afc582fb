"""Checks what conditions compare with: a constant, a reference or `now`, as extensions allow (X1, X5, X6)."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from msgspec import UNSET

from ....bundles.conditions.operators import OF_ELEMENTS, OPERATORS, Operator
from ....bundles.conditions.references import (
    NOW,
    NOW_SECTIONS,
    SOURCES,
    ValueOf,
    may_stand_in,
    read_value_of,
    takes_now,
    takes_reference,
)
from ....bundles.extensions import ExtensionName
from ....bundles.wording import Path, alternatives, quoted
from ...diagnostics.diagnostic import Finding
from ...model.elements import Condition
from ..conditions_of import LocatedCondition, conditions_of
from ..draft import Draft, is_placeholder

_BOTH = "a condition compares with `value` or with `value_of`, not with both"
_NAMES = f"write {alternatives([*(f'{source}.NAME' for source in SOURCES), NOW])}"
_ONE_ENTITY = "let the application send an attribute that says the outcome: two of one {} can't be compared"
_TIME = "context.time"
"""The moment of the request as a text. An attribute is compared with `now` instead, as an instant."""

_NO_VALUE = "names no value of a request"
_OF_RESOURCE = "no comparison says this of an attribute of the resource: let the application send the outcome"
_TURNED: Final = {
    Operator.EQ: Operator.EQ,
    Operator.NE: Operator.NE,
    Operator.LT: Operator.GT,
    Operator.LTE: Operator.GTE,
    Operator.GT: Operator.LT,
    Operator.GTE: Operator.LTE,
    Operator.IN: Operator.HAS,
    Operator.HAS: Operator.IN,
    Operator.HAS_ANY: Operator.HAS_ANY,
    Operator.HAS_NONE: Operator.HAS_NONE,
}
"""The operator that says the same of the other side, where there is one."""

_ENTITIES_OF_NOW = " or of the ".join(section.removesuffix("_attrs") for section in NOW_SECTIONS)


def check_compared_values(draft: Draft) -> Iterator[Finding]:
    """Finds conditions that compare with nothing, with two things, or with a value that can't stand there."""
    for index, policy in enumerate(draft.model.policies):
        for located in islice(conditions_of(policy, index), draft.limits.policy_conditions):
            condition, path = located.condition, located.path
            if not is_placeholder(condition.op) and OF_ELEMENTS[condition.op]:
                yield from missing_extension(draft, "arrays", f"the operator {quoted(condition.op)}", (*path, "op"))
            if condition.value_of is None:
                if condition.value is UNSET:
                    yield Finding("missing-member", "the member `value` is missing", path)
                continue
            if condition.value is not UNSET:
                yield Finding("either-or", _BOTH, path)
            if condition.value_of == NOW:
                yield from _faults_of_now(located)
                yield from missing_extension(draft, "now", "`now`", (*path, "value_of"))
            elif not is_placeholder(condition.value_of):
                yield from _faults(located, condition.value_of)
                yield from missing_extension(draft, "references", "a reference", (*path, "value_of"))


def value_of(condition: Condition) -> ValueOf | None:
    """Returns the value to which a condition refers, or None if it has a constant or names no value."""
    return None if condition.value_of is None else read_value_of(condition.value_of)


def missing_extension(draft: Draft, name: ExtensionName, what: str, path: Path) -> Iterator[Finding]:
    """Yields the finding of a form that needs an extension which the model does not list (X1)."""
    if draft.extensions is not None and name not in draft.extensions:
        message = f"{what} needs the extension {quoted(name)}, which the model does not list"
        yield Finding("missing-extension", message, path, f"add {quoted(name)} to `extensions`")


def _faults(located: LocatedCondition, text: str) -> Iterator[Finding]:
    path: Path = (*located.path, "value_of")
    found, op = read_value_of(text), located.condition.op
    if found is None:
        of_resource = text.startswith("resource.")
        fault = "is an attribute of the resource, which is always the left side" if of_resource else _NO_VALUE
        help_text = _of_resource(located, text) if of_resource else _NAMES
        yield Finding("bad-reference", f"{quoted(text)} {fault}", path, help_text)
    elif not may_stand_in(found, located.section):
        message = (
            f"an attribute of the {_entity(located.section)} can't be compared with {quoted(text)}, another one of it"
        )
        yield Finding("bad-reference", message, path, _ONE_ENTITY.format(found.source))
    if not is_placeholder(op) and not takes_reference(op):
        message = f"{quoted(op)} can't take a reference, since a pattern is a constant"
        yield Finding("bad-reference", message, path, f"use {alternatives(_comparing())}")


def _of_resource(located: LocatedCondition, text: str) -> str:
    """Returns help for a comparison with an attribute of the resource, which is always the left side.

    >>> from ....bundles.conditions.operators import Operator
    >>> condition = Condition("customer_id", Operator.IN, value_of="resource.holders")
    >>> _of_resource(LocatedCondition("subject_attrs", condition, ()), "resource.holders")
    'turn it round: in `resource_attrs`, `{key: holders, op: has, value_of: subject.customer_id}`'
    """
    entity, key, op = _entity(located.section), located.condition.key, located.condition.op
    if entity == "resource":
        return _ONE_ENTITY.format("resource")
    turned = None if is_placeholder(op) or is_placeholder(key) else _TURNED.get(op)
    if turned is None:
        return _OF_RESOURCE
    other = NOW if f"{entity}.{key}" == _TIME and takes_now(turned) else f"{entity}.{key}"
    row = f"{{key: {text.removeprefix('resource.')}, op: {turned.value}, value_of: {other}}}"
    return f"turn it round: in `resource_attrs`, {quoted(row)}"


def _entity(section: str) -> str:
    return section.removesuffix("_attrs")


def _faults_of_now(located: LocatedCondition) -> Iterator[Finding]:
    """Yields the faults of a comparison with the instant of the request (X5)."""
    path: Path = (*located.path, "value_of")
    if located.section not in NOW_SECTIONS:
        message = f"an attribute of the {_entity(located.section)} can't be compared with `now`"
        yield Finding("bad-reference", message, path, f"compare one of the {_ENTITIES_OF_NOW}")
    if not is_placeholder(located.condition.op) and not takes_now(located.condition.op):
        message = f"{quoted(located.condition.op)} can't compare with `now`"
        operators = alternatives([quoted(op) for op in OPERATORS if takes_now(op)])
        yield Finding("bad-reference", message, path, f"use {operators}")


def _comparing() -> list[str]:
    return [str(op) for op in OPERATORS if takes_reference(op)]
