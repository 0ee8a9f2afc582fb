"""Checks the constants of conditions against their operators (C2, C4, C5, C6)."""

from collections.abc import Iterator
from itertools import islice
from typing import assert_never

from ....bundles.conditions.constants import list_elements
from ....bundles.conditions.operators import OPERATORS, ConstantKind, Operator
from ....bundles.conditions.patterns import instructions_of
from ....bundles.conditions.values import Json, is_number
from ....bundles.wording import Path, described, quoted
from ...diagnostics.diagnostic import Finding
from ..conditions_of import constants_of
from ..draft import Draft, is_placeholder

_ABSENCE = 'no condition asks for absence: let the application send a value such as `"none"`'
_PRESENCE = "to ask whether the attribute is present, write `op: nin, value: []`"


def check_constants(draft: Draft) -> Iterator[Finding]:
    """Finds constants that contain null, have a type that the operator can't compare, or exceed a limit."""
    for index, policy in enumerate(draft.model.policies):
        # Of more conditions than the limit, `check_policies` tells. Checks of patterns would be unbounded work.
        for _, condition, path in islice(constants_of(policy, index), draft.limits.policy_conditions):
            at = (*path, "value")
            is_presence = condition.value is None and condition.op is Operator.NE
            yield from nulls(condition.value, at, _PRESENCE if is_presence else _ABSENCE)
            if condition.value is not None and not is_placeholder(condition.op):
                yield from _misfit(condition.op, condition.value, at)
            if isinstance(condition.value, list):
                yield from too_long_list(list_elements(condition.value), at, draft.limits.list_constant_elements)


def too_long_list(length: int, path: Path, limit: int) -> Iterator[Finding]:
    """Yields a finding if a list of `length` elements is longer than `limit`."""
    if length > limit:
        yield Finding("too-long", f"the list has {length} elements, the limit is {limit}", path)


def nulls(value: Json, path: Path, help_text: str = "") -> Iterator[Finding]:
    """Yields a finding for each null in a constant, at any depth (C2)."""
    if value is None:
        message = "a condition can't compare with null, because null is the same as a missing attribute"
        yield Finding("null-constant", message, path, help_text)
    elif isinstance(value, list | dict):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if inner is None or isinstance(inner, list | dict):
                yield from nulls(inner, (*path, step), help_text)


def _misfit(op: Operator, constant: Json, path: Path) -> Iterator[Finding]:
    match kind := OPERATORS[op].constant:
        case ConstantKind.ANY:
            pass
        case ConstantKind.LIST:
            if not isinstance(constant, list):
                message = f"{quoted(op)} compares with an array, found {described(constant)}"
                yield Finding("wrong-constant", message, path, "put it in an array, or use `eq` or `ne`")
        case ConstantKind.ORDERED:
            if not isinstance(constant, str) and not is_number(constant):
                message = f"{quoted(op)} compares with a number or a string, found {described(constant)}"
                yield Finding("wrong-constant", message, path)
        case ConstantKind.PATTERN:
            yield from _pattern(op, constant, path)
        case _:
            assert_never(kind)


def _pattern(op: Operator, constant: Json, path: Path) -> Iterator[Finding]:
    if not isinstance(constant, str):
        yield Finding("wrong-constant", f"{quoted(op)} compares with a pattern, found {described(constant)}", path)
        return
    try:
        instructions_of(constant)
    except ValueError as ex:
        yield Finding("bad-pattern", str(ex), path)
