"""The lint `odd-constant`: a constant of another type than all other constants of its key."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from ....bundles.conditions.operators import OF_ELEMENTS, TAKES_LIST
from ....bundles.conditions.values import Json
from ....bundles.declarations.kinds import ValueKind, kind_of
from ....bundles.wording import Path, described, quoted
from ...checks.conditions_of import constants_of
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...model.elements import Policy
from ..prepared_policy import PreparedPolicy

_MANY = 2
"""The number of other conditions that must agree, unless the constant is the text of a value of their type."""

_FLAGS = frozenset(("true", "false", "yes", "no", "on", "off"))
_Key: TypeAlias = tuple[str, str, str]
"""A section, a key, and for resources the id of a type, or `*`."""


class _Use(NamedTuple):
    """A constant, its type, and the condition (a policy and a place in it) that compares with it."""

    constant: Json
    kind: ValueKind
    condition: Path
    path: Path


def odd_constant(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about a constant if all other conditions on its key compare with another type, and at least two do.

    One other condition is enough if the constant is a text for a value of its type, such as `"true"`, `"yes"` or `"5"`.
    Keys of resources are compared for each type of resource.
    """
    uses: dict[_Key, list[_Use]] = defaultdict(list)
    for prepared in policies:
        for section, condition, path in constants_of(prepared.policy, prepared.index):
            if OF_ELEMENTS[condition.op]:  # its constants are elements of the attribute's value
                continue
            found = list(_uses(condition.value, TAKES_LIST[condition.op], path))
            for type in _types(prepared.policy) if section == "resource_attrs" else ("",):
                uses[section, condition.key, type] += found
    told: set[Path] = set()
    for (_, key, _), many in uses.items():
        odd = _odd(many)
        if odd is not None and odd[0].path not in told:
            use, usual = odd
            told.add(use.path)
            message = (
                f"{quoted(key)} is compared with {described(use.constant)} here, and with {_noun(usual)} elsewhere"
            )
            yield Finding("odd-constant", message, use.path, _help(use, usual), severity="warning")


def _uses(value: Json, is_list: bool, path: Path) -> Iterator[_Use]:
    constants = enumerate(value) if is_list and isinstance(value, list) else [(None, value)]
    for place, constant in constants:
        kind = kind_of(constant)
        if kind is not None:
            at: Path = (*path, "value") if place is None else (*path, "value", place)
            yield _Use(constant, kind, path, at)


def _types(policy: Policy) -> dict[str, None]:
    return dict.fromkeys(scope.resource_type_id for scope in policy.resource_types)


def _odd(uses: Sequence[_Use]) -> tuple[_Use, ValueKind] | None:
    """Returns the one use that differs from all others, and their type, or None."""
    by_kind: dict[ValueKind, list[_Use]] = defaultdict(list)
    for use in uses:
        by_kind[use.kind].append(use)
    if len(by_kind) != 2:
        return None
    for odd, usual in (tuple(by_kind), tuple(reversed(by_kind))):
        others = {use.condition for use in by_kind[usual]}
        if len(by_kind[odd]) == 1 and (len(others) >= _MANY or _is_text_of(by_kind[odd][0], usual)):
            return by_kind[odd][0], usual
    return None


def _is_text_of(use: _Use, kind: ValueKind) -> bool:
    """Returns whether a constant is a text that people write for a value of that type."""
    if not isinstance(use.constant, str):
        return False
    if kind == "boolean":
        return use.constant.casefold() in _FLAGS
    if kind != "number":
        return False
    try:
        float(use.constant)
    except ValueError:
        return False
    return True


def _help(use: _Use, usual: ValueKind) -> str:
    return (
        f"values of different types are never equal; leave the quotes out to write {_noun(usual)}"
        if _is_text_of(use, usual)
        else "values of different types are never equal"
    )


def _noun(kind: ValueKind) -> str:
    return {"boolean": "`true` or `false`", "array": "an array", "object": "an object"}.get(kind, f"a {kind}")
