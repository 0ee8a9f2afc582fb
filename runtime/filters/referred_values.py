"""The values to which the rules of a filter refer, as constants and as parts of a key of the cache (X2, X3)."""

from collections.abc import Hashable
from enum import Enum, auto
from math import isfinite
from typing import Final, TypeAlias

from ...bundles.conditions.constants import canonical_key
from ...bundles.conditions.operators import TAKES_LIST, Operator
from ...bundles.conditions.references import MOST_ELEMENTS, is_comparable
from ...bundles.conditions.values import Json, NotJson, Unreadable, plain
from ...bundles.program.clauses import Reference
from ..requests.members import BadRequest

MOST_NESTED: Final = 64
"""Arrays and objects around a value that a filter contains. A decision compares values of any depth."""

Frozen: TypeAlias = Hashable
"""A value as a part of a key. Different values have different ones."""


class Unmet(Enum):
    """In the place of a value to which a rule refers: the request does not meet a demand on it (C12, C13)."""

    UNMET = auto()


UNMET: Final = Unmet.UNMET

Constant: TypeAlias = tuple[str, Operator, Json]
"""A comparison of the residual: its key, its operator and its constant."""

_LISTS: Final[dict[Operator, Operator]] = {
    Operator.EQ: Operator.IN,
    Operator.NE: Operator.NIN,
    Operator.HAS: Operator.HAS_ANY,
}
"""The operator that compares with several values as this one does with one."""


def frozen(value: Json, path: str) -> Frozen:
    """Returns a value as a part of a key. An Unreadable counts as absent: neither can be read (X2).

    Raises BadRequest at `path` for a value that JSON has not (C7), or that is nested too deeply.
    """
    if value is None or value.__class__ is Unreadable:
        return None
    if value.__class__ is str:
        return value
    checked = _checked(value, path, MOST_NESTED)
    if isinstance(checked, str):
        return checked
    if isinstance(checked, list) and set(map(type, checked)) <= {str}:
        return ("texts", *checked)
    return ("value", canonical_key(checked))


def thawed(key: Frozen) -> Json:
    """Returns the value of which `frozen` made a key."""
    if not isinstance(key, tuple):
        return key
    kind, *rest = key
    return rest if kind == "texts" else _of_canonical(rest[0])


def constant_of(atom: Reference, value: Json) -> Constant | None:
    """Returns a comparison with the referred value as its constant, or None if it can't be read (X2).

    A null in the value equals nothing (C2), and no constant has one. So it is left out of a list.

    >>> from writ.bundles.conditions.references import ValueOf
    >>> atom = Reference("resource_attrs", "owner", Operator.EQ, ValueOf("subject", "id"))
    >>> constant_of(atom, "u5"), constant_of(atom, None)
    (('owner', <Operator.EQ: 'eq'>, 'u5'), None)
    """
    if not is_comparable(atom.op, value) or (isinstance(value, list) and len(value) > MOST_ELEMENTS):
        return None
    if TAKES_LIST[atom.op]:
        return atom.key, atom.op, [item for item in value if not _has_null(item)]
    if _has_null(value):
        return atom.key, _LISTS[atom.op], []
    return atom.key, atom.op, value


def _checked(value: Json, path: str, levels: int) -> Json:
    """Returns a value of Python as JSON has it, with at most `levels` of arrays and objects."""
    try:
        found = plain(value)
    except NotJson as ex:
        raise BadRequest(f"{ex}; convert attributes with `writ.as_json`", path) from None
    if isinstance(found, float) and not isfinite(found):
        raise BadRequest("a filter can't contain a number that is not finite", path)
    if not isinstance(found, list | dict):
        return found
    if levels == 0:
        raise BadRequest(f"a filter can't contain a value of more than {MOST_NESTED} levels", path)
    if isinstance(found, list):
        return [_checked(item, path, levels - 1) for item in found]
    return {_checked(name, path, 0): _checked(member, path, levels - 1) for name, member in found.items()}


def _of_canonical(key: tuple[Json, ...]) -> Json:
    kind, *rest = key
    if kind == "array":
        return [_of_canonical(item) for item in rest]
    if kind == "object":
        return {name: _of_canonical(member) for name, member in rest}
    return rest[0] if rest else None


def _has_null(value: Json) -> bool:
    if isinstance(value, list):
        return any(map(_has_null, value))
    return value is None or (isinstance(value, dict) and any(map(_has_null, value.values())))
