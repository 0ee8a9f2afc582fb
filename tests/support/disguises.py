"""JSON values in the dress of other Python types: `as_json` undresses them again."""

from decimal import Decimal
from enum import Enum
from math import isfinite
from random import Random
from types import MappingProxyType
from typing import Any


def disguised(value: Any) -> Any:
    """The value as a value that JSON has not and that `as_json` turns back, or the value itself if there is none."""
    if isinstance(value, bool) or value is None or (isinstance(value, float) and not isfinite(value)):
        return value
    if isinstance(value, str):
        return Enum("Status", {"MEMBER": value}).MEMBER
    if isinstance(value, int | float):
        return Decimal(repr(value)) if abs(value) < 10**300 else value
    return tuple(value) if isinstance(value, list) else MappingProxyType(value)


def with_disguises(request: dict[str, Any], random: Random) -> dict[str, Any]:
    """The request with some of its attributes disguised, or values inside them."""
    changed = {name: dict(part) if isinstance(part, dict) else part for name, part in request.items()}
    owners = [(changed, "context")]
    owners += [(changed[part], member) for part in ("subject", "resource") for member in ("properties", "attributes")]
    for owner, member in [*owners, (changed["action"], "properties")]:
        if isinstance(owner.get(member), dict):
            owner[member] = {name: _somewhere(value, random) for name, value in owner[member].items()}
    return changed


def _somewhere(value: Any, random: Random) -> Any:
    if random.random() < 0.3:
        return disguised(value)
    if isinstance(value, list):
        return [_somewhere(item, random) for item in value]
    return {name: _somewhere(item, random) for name, item in value.items()} if isinstance(value, dict) else value
