"""Compares the meaning of two elements of models."""

from typing import Any

import msgspec
from msgspec import Struct

from ...bundles.conditions.constants import CanonicalKey, canonical_key
from .normal_form import canonical_json, normalised

_NOTHING_IF_EMPTY = ("conditions", "resource_attrs", "subject_attrs", "action_attrs", "context_attrs", "members")
"""The members that mean the same when they are empty as when they are left out."""


def same_element(one: Struct, other: Struct) -> bool:
    """Returns whether two elements of checked models mean the same: the order of a set counts for nothing.

    >>> from writ.compiler.model.elements import Group
    >>> same_element(Group(id="g", members=()), Group(id="g"))
    True
    """
    return canonical_json(one) == canonical_json(other) or meaning(normalised(one)) == meaning(normalised(other))


def meaning(element: Struct) -> CanonicalKey:
    """Returns a key that is equal for elements with the same members and values. `1` and `1.0` are the same value.

    >>> from writ.bundles.conditions.operators import Operator
    >>> from writ.compiler.model.elements import Condition, Conditions, Group
    >>> meaning(Group(id="g", members=())) == meaning(Group(id="g"))
    True
    >>> one, other = (Conditions(subject_attrs=(Condition("k", Operator.EQ, value),)) for value in (1, True))
    >>> meaning(one) == meaning(other)
    False
    """
    return canonical_key(_without_empty(msgspec.to_builtins(element)))


def _without_empty(body: dict[str, Any]) -> dict[str, Any]:
    for name in ("conditions", "time_window"):
        if isinstance(body.get(name), dict):
            body[name] = _without_empty(body[name])
    return {name: value for name, value in body.items() if value or name not in _NOTHING_IF_EMPTY}
