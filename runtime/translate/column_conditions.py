"""The leaves of a plan: conditions on columns, in the few tests that every target must know.

Each is true or false of a row, never unknown, so a negation stays plain (F5).
"""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ...bundles.conditions.literals import Position
from ...bundles.conditions.operators import Ordering
from ...bundles.conditions.trees.tree import Tree
from .fields import Array, TypedField


@dataclass(frozen=True, slots=True)
class Present:
    """There is a value of the expected type."""


@dataclass(frozen=True, slots=True)
class OneOf:
    """The value equals one of `values`. They are of the column's type, at least one."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """There is a value, and it equals none of `values`."""

    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Ordered:
    """The value is greater or less than another one (C4)."""

    op: Ordering
    value: Any


@dataclass(frozen=True, slots=True)
class Substring:
    """The value is a string with this text, which is not empty, at a position."""

    text: str
    position: Position


@dataclass(frozen=True, slots=True)
class Matches:
    """The value is a string that matches an RE2 pattern. The pattern is more than plain text."""

    pattern: str


@dataclass(frozen=True, slots=True)
class ArrayLength:
    """The value is an array of this length."""

    length: int


@dataclass(frozen=True, slots=True)
class OnlyMembers:
    """The value is an object without members of other names."""

    names: tuple[str, ...]


class Element:
    """Stands for a column in the conditions on one element of an array."""


ELEMENT = Element()


@dataclass(frozen=True, slots=True)
class AnyElement:
    """The value is an array with an element for which `plan` holds. Its conditions are on ELEMENT (X6)."""

    plan: "Plan"


ValueTest: TypeAlias = Present | OneOf | NoneOf | Ordered | Substring | Matches | ArrayLength | OnlyMembers | AnyElement
JsonType: TypeAlias = Literal["any", "string", "number", "boolean", "array", "object"]


@dataclass(frozen=True, slots=True)
class ColumnCondition:
    """A test of a column that has one type; `path` is the JSON path of the filter's node."""

    field: TypedField
    test: ValueTest
    path: str


@dataclass(frozen=True, slots=True)
class JsonCondition:
    """A test of the JSON value that `steps` lead to in a column or ELEMENT. It is false for a value of another type."""

    column: Any
    steps: tuple[str | int, ...]
    type: JsonType
    test: ValueTest
    path: str


@dataclass(frozen=True, slots=True)
class ArrayCondition:
    """A column of arrays holds one, or one with an element equal to one of `values` if there are any (X6)."""

    field: Array
    values: tuple[Any, ...]
    path: str


@dataclass(frozen=True, slots=True)
class DirectCondition:
    """The caller's condition for a node of direct grants, in the target's own form (F8)."""

    given: Any
    path: str


Plan: TypeAlias = Tree[ColumnCondition | ArrayCondition | JsonCondition | DirectCondition]
"""A filter over the columns of a mapping."""
