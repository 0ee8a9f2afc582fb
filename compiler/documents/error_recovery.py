"""Recovers the correct members of an element with faults, so that they are checked in the same run."""

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from msgspec import inspect

from ...bundles.conditions.values import Json
from ...bundles.wording import Path
from ..diagnostics.diagnostic import Finding
from ..model.elements import Element
from .raw_values import FaultyObject
from .schema_check import needed, type_of


class Placeholder(str):
    """A placeholder for a text that could not be read. It equals no other text, so it never counts as repeated."""

    __slots__ = ()

    def __new__(cls) -> "Placeholder":
        return super().__new__(cls, "\ufffd")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)


class RecoveredElement(NamedTuple):
    """An element with placeholders for the values that could not be read. All paths start at the element.

    `placeholders` are the paths of the placeholders. `incomplete` are the paths of objects with an unknown member,
    which may be a misspelt one.
    """

    element: Element
    placeholders: Collection[Path]
    incomplete: Collection[Path]

    def hides(self, path: Path) -> bool:
        """Returns whether a fault at `path` is at a placeholder or at an incomplete object, and so is not to be
        reported.
        """
        return path in self.incomplete or any(path[:length] in self.placeholders for length in range(1, len(path) + 1))


def recover(value: Json, shape: type[Element], faults: Iterable[Finding]) -> RecoveredElement | None:
    """Returns the element of a raw value with these `faults`, or None if nothing of it can be recovered."""
    # The path of a missing member leads to its object, whose other members are correct.
    bad = {fault.path[2:] for fault in faults if fault.code != "missing-member"}
    if not isinstance(value, dict) or () in bad:
        return None
    recovery = _Recovery(bad)
    return RecoveredElement(recovery.read(value, type_of(shape), ()), recovery.placeholders, recovery.incomplete)


class _Recovery:
    def __init__(self, bad: Collection[Path]):
        self._bad = bad
        self.placeholders: set[Path] = set()
        self.incomplete: set[Path] = set()

    def read(self, value: Json, expected: inspect.Type, path: Path) -> Any:
        """Returns `value` as its type, with placeholders for bad parts. A null in an optional member becomes None."""
        if isinstance(expected, inspect.UnionType):
            return None if value is None else self.read(value, needed(expected, value), path)
        if path in self._bad:
            return self._stand_in(expected, path)
        match expected:
            case inspect.StructType():
                return self._object(value, expected, path)
            case inspect.VarTupleType(item_type=item):
                return tuple(self.read(inner, item, (*path, place)) for place, inner in enumerate(value))
            case inspect.DictType():
                return self._stand_in(expected, path) if self._has_bad(path) else self._members(value, expected, path)
            case inspect.AnyType():
                return self._json(value, path)
            case inspect.EnumType(cls=closed):
                return closed(value)
            case _:
                return value

    def _has_bad(self, path: Path) -> bool:
        return any(len(bad) > len(path) and bad[: len(path)] == path for bad in self._bad)

    def _members(self, value: dict[str, Json], expected: inspect.DictType, path: Path) -> Any:
        if isinstance(expected.value_type, inspect.AnyType):
            return value
        return {name: self.read(member, expected.value_type, (*path, name)) for name, member in value.items()}

    def _object(self, value: dict[str, Json], expected: inspect.StructType, path: Path) -> Any:
        names = {field.encode_name for field in expected.fields}
        is_incomplete = isinstance(value, FaultyObject) or not names.issuperset(value)
        if is_incomplete:
            self.incomplete.add(path)
        members = {}
        for field in expected.fields:
            name = field.encode_name
            if name in value:
                members[field.name] = self.read(value[name], field.type, (*path, name))
            elif field.required or is_incomplete:
                members[field.name] = self._stand_in(field.type, (*path, name))
        return expected.cls(**members)

    def _json(self, value: Json, path: Path) -> Json:
        if path in self._bad:
            return self._stand_in(inspect.AnyType(), path)
        if isinstance(value, list):
            return [self._json(inner, (*path, place)) for place, inner in enumerate(value)]
        if isinstance(value, dict):
            return {name: self._json(inner, (*path, name)) for name, inner in value.items()}
        return value

    def _stand_in(self, expected: inspect.Type, path: Path) -> Any:
        self.placeholders.add(path)
        return _stand_in(expected)


def _stand_in(expected: inspect.Type) -> Any:
    """Returns a placeholder of a type. An array gets one element, because an empty one may be a fault."""
    match expected:
        case inspect.UnionType():
            return _stand_in(needed(expected))
        case inspect.StructType():
            return expected.cls(**{field.name: _stand_in(field.type) for field in expected.fields if field.required})
        case inspect.VarTupleType(item_type=item):
            return (_stand_in(item),)
        case inspect.StrType() | inspect.LiteralType() | inspect.EnumType():
            return Placeholder()
        case inspect.IntType():
            return 0
        case inspect.BoolType():
            return False
        case _:
            return None
