"""The values of a request that a comparison may refer to in place of a constant (rules X1, X2 and X5)."""

from typing import Final, Literal, NamedTuple, TypeAlias, TypeGuard

from .operators import OPERATORS, ConstantKind, Operator, Ordering
from .values import Json, is_number

Source: TypeAlias = Literal["subject", "action", "context"]
"""The part of a request whose value a reference names."""

SOURCES: Final[tuple[Source, ...]] = ("subject", "action", "context")

MOST_ELEMENTS: Final = 10_000
"""Elements of an array that a reference may read."""


class ValueOf(NamedTuple):
    """The value that a reference names: `subject.id` is the id of the subject."""

    source: Source
    key: str

    @property
    def section(self) -> str:
        """The section of conditions on the same entity."""
        return f"{self.source}_attrs"

    def __str__(self) -> str:
        return f"{self.source}.{self.key}"


GROUPS: Final = ValueOf("subject", "groups")
"""The ids of all groups that the subject is a member of, never an attribute of this name (X1)."""


NOW: Final = "now"
"""The name of the instant of the request, in place of a value (X5)."""

NOW_SECTIONS: Final = ("resource_attrs", "subject_attrs")
"""The sections whose attributes may be compared with `now`."""


def read_value_of(text: str) -> ValueOf | None:
    """Returns the value that a text names, or None if it names none.

    >>> read_value_of("subject.address.city"), read_value_of("resource.owner"), read_value_of("subject.")
    (ValueOf(source='subject', key='address.city'), None, None)
    """
    start, _, key = text.partition(".")
    return next((ValueOf(source, key) for source in SOURCES if source == start and key), None)


def may_stand_in(value: ValueOf, section: str) -> bool:
    """Returns whether a comparison in a section may refer to a value: to any of another entity, and to groups.

    >>> may_stand_in(ValueOf("subject", "id"), "subject_attrs"), may_stand_in(GROUPS, "subject_attrs")
    (False, True)
    """
    return value == GROUPS or section != value.section


def takes_reference(op: Operator) -> bool:
    """Returns whether an operator can compare with a referred value. A pattern is always a constant (X1)."""
    return OPERATORS[op].constant is not ConstantKind.PATTERN


def takes_now(op: Operator) -> TypeGuard[Ordering]:
    """Returns whether an operator can compare with the instant of the request (X5)."""
    return OPERATORS[op].constant is ConstantKind.ORDERED


def is_comparable(op: Operator, value: Json) -> bool:
    """Returns whether a plain value has a type that a constant of the operator may have (X2).

    >>> is_comparable(Operator.GT, "a"), is_comparable(Operator.GT, True), is_comparable(Operator.IN, "a")
    (True, False, False)
    """
    kind = OPERATORS[op].constant
    if kind is ConstantKind.LIST:
        return isinstance(value, list)
    if kind is ConstantKind.ORDERED:
        return isinstance(value, str) or is_number(value)
    return value is not None
