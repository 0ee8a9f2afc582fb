"""The conditions of policies as masks change the values that they read: hashed alike, or not to be decided any more."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import msgspec
from msgspec.structs import replace

from ....bundles.conditions.operators import Operator
from ....compiler.model.elements import Condition, Conditions
from ...telemetry.decision_log.mask_paths import ANY, Path
from ...telemetry.decision_log.masks import EnvironmentMasks

Json: TypeAlias = Any

OWNERS: Final[dict[str, Path]] = {
    "resource_attrs": ("resource", "properties"),
    "subject_attrs": ("subject", "properties"),
    "action_attrs": ("action", "properties"),
    "context_attrs": ("context",),
}
"""The place of the attributes of each section in a request."""

_OF_REFERENCES: Final[dict[str, Path]] = {
    "subject": ("subject", "properties"),
    "action": ("action", "properties"),
    "context": ("context",),
}
_OWN_KEYS: Final = ("id", "type")
"""The keys that read the entity itself (E6)."""

_TIME: Final[Path] = ("context", "time")
_ADDRESSES: Final[tuple[Path, ...]] = (("context", "ip"), ("context", "ip_address"))
_NOW: Final = "now"
_WHOLE: Final = (Operator.EQ, Operator.NE)
_LISTS: Final = (Operator.IN, Operator.NIN)
_ARRAYS: Final = (Operator.HAS_ANY, Operator.HAS_NONE)


class Hidden(Exception):
    """A condition reads a value that the masks hide from it. The message says which."""


class MaskedValues:
    """The values of requests as the masks of an environment change them."""

    def __init__(self, masks: EnvironmentMasks) -> None:
        self._masks = masks
        self._paths = tuple((tuple(_pieces(path)), is_dropped) for path, is_dropped in masks.paths)

    def touches(self, path: Path) -> bool:
        """Returns whether a mask may change the value at a path, or a part of it. It may say so wrongly."""
        return any(_may_meet(mask, tuple(_pieces(path))) for mask, _ in self._paths)

    def drops(self, path: Path) -> bool:
        """Returns whether a mask may drop the value at a path, or a part of it."""
        return any(is_dropped and _may_meet(mask, tuple(_pieces(path))) for mask, is_dropped in self._paths)

    def masked(self, path: Path, value: Json) -> Json:
        """Returns a value at a path, each of whose steps is one name, as it stands in the log. Raises Hidden."""
        *steps, last = path
        request: dict[str, Any] = {}
        place = request
        for step in steps:
            place = place.setdefault(step, {})
        place[last] = msgspec.json.decode(msgspec.json.encode(value))
        self._masks.apply(request)
        found: Json = request
        for step in path:
            if not isinstance(found, dict) or step not in found:
                raise Hidden
            found = found[step]
        return found


def masked_conditions(values: MaskedValues, found: Conditions) -> Conditions:
    """Returns conditions that hold of a masked request exactly if the given ones hold of the request.

    Raises Hidden if there are none.
    """
    if found.time_window is not None and values.touches(_TIME):
        raise Hidden("its time window reads `context.time`")
    if found.ip_allowlist is not None and any(map(values.touches, _ADDRESSES)):
        raise Hidden("its list of addresses reads `context.ip`")
    sections = {section: getattr(found, section) for section in OWNERS}
    return replace(
        found,
        **{
            section: tuple(_condition(values, section, one) for one in conditions)
            for section, conditions in sections.items()
            if conditions is not None
        },
    )


def _condition(values: MaskedValues, section: str, found: Condition) -> Condition:
    owner = OWNERS[section]
    if found.key in _OWN_KEYS and section in ("resource_attrs", "subject_attrs"):
        owner = owner[:1]
    reads = [(*owner, found.key), *([] if found.value_of is None else [_referred(found.value_of)])]
    if not any(map(values.touches, reads)):
        return found
    shown = f"`{found.key}` by `{found.op}`" if found.value_of is None else f"`{found.key}` with `{found.value_of}`"
    if found.value_of is not None or any(map(values.drops, reads)):
        raise Hidden(f"it compares {shown}")
    try:
        constants = [_constant(values, path, found) for path in _forms(owner, found.key)]
    except Hidden:
        raise Hidden(f"it compares {shown}") from None
    if any(one != constants[0] for one in constants):
        raise Hidden(f"it compares {shown}")
    return replace(found, value=constants[0])


def _constant(values: MaskedValues, path: Path, found: Condition) -> Json:
    if found.op in _WHOLE:
        return values.masked(path, found.value)
    if found.op in _LISTS:
        return [values.masked(path, one) for one in found.value]
    if found.op is Operator.HAS:
        return _element(values, path, found.value)
    if found.op in _ARRAYS:
        return [_element(values, path, one) for one in found.value]
    raise Hidden


def _element(values: MaskedValues, path: Path, constant: Json) -> Json:
    """Returns a constant as it stands in an array. Raises Hidden if the array is hashed as a whole."""
    found = values.masked(path, [constant])
    if not isinstance(found, list) or len(found) != 1:
        raise Hidden
    return found[0]


def _forms(owner: Path, key: str) -> Iterator[Path]:
    """Yields the places where a request may send an attribute: under the whole key, or along its path (C1)."""
    yield (*owner, key)
    if "." in key:
        yield (*owner, *key.split("."))


def _referred(value_of: str) -> Path:
    if value_of == _NOW:
        return _TIME
    owner, _, key = value_of.partition(".")
    if owner == "subject" and key in _OWN_KEYS:
        return (owner, key)
    return (*_OF_REFERENCES[owner], key)


def _pieces(path: Sequence[str]) -> Iterator[str]:
    for step in path:
        yield from (ANY,) if step == ANY else step.split(".")


def _may_meet(mask: Iterable[str], path: Iterable[str]) -> bool:
    """Returns whether one path may lead to, or through, what the other leads to. `*` may stand for more than a name."""
    for one, other in zip(mask, path, strict=False):
        if one == ANY:
            return True
        if one != other:
            return False
    return True
