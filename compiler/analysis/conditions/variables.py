"""The variables of an analysis: what an answer depends on, and the tests of each.

A variable is an attribute of the request, or one of the special ones below. A test is a set of values of one variable.
The key of a variable begins with its kind, so that a diagram asks all variables of one kind after another.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from ....bundles.conditions.constants import CanonicalKey
from ....bundles.conditions.gates import ADDRESS, INSTANT, V6_START, WEEK, Span
from ....bundles.conditions.instants import EARLIEST, END
from ....bundles.conditions.operators import Operator
from ....bundles.conditions.references import GROUPS
from ....bundles.conditions.trees.domain import meant_by
from ....bundles.conditions.values import Json
from ....bundles.conditions.windows import WEEK_MINUTES
from ....bundles.program.clauses import AttributeSection
from . import relations

_PART: Final = "\0"

CLOCK: Final = "\1clock"
"""The service's clock, in epoch seconds. It decides terms of assignments and grants (P4)."""

GRANT: Final = "\1grant"
"""The answer to: has the subject a direct grant on the resource, the same in both models? (P4, P7)"""

OTHER_GRANT: Final = "\1other-grant"
"""The answer to: has the subject a direct grant of another action on the resource, the same in both models? (D5)"""

REGISTERED: Final = "\1registered"
"""The answer to: is the resource registered? It counts where its type is closed (E7)."""

RATE: Final = "\1rate"
"""The answer to: is no rate limit reached? It counts where an analysis leaves rate limits open (C10)."""

GROUPS_KEY: Final = "\1groups"
"""Stands for the groups of the subject, which are no variable: each class of subjects has them as they are."""

_NOW: Final = "\1zz-now"
_REFERENCE: Final = "\1zz-reference"

YES: Final = "yes"
NO: Final = "no"
MISSING: Final = "missing"
UNREADABLE: Final = "unreadable"
BEFORE: Final = "before"
SAME: Final = "same"
AFTER: Final = "after"

_EVER: Final = (float("-inf"), float("inf"))


@dataclass(frozen=True)
class ValueTest:
    """A comparison of an attribute with a constant. Equal tests have equal `meant`.

    If `or_missing`, it also holds without a value (C12).
    """

    meant: CanonicalKey
    or_missing: bool = False
    op: Operator = field(default=Operator.EQ, compare=False)
    value: Json = field(default=None, compare=False)


@dataclass(frozen=True)
class SpanTest:
    """A set of values of a special variable: spans of its line, in order, and states."""

    spans: tuple[Span, ...] = ()
    states: frozenset[str] = frozenset()


AnyTest: TypeAlias = ValueTest | SpanTest
Literal: TypeAlias = tuple[str, AnyTest]
"""The key of a variable, and a test of it."""

Body: TypeAlias = frozenset[Literal]
"""Literals, all of which must hold."""


def value_test(op: Operator, value: Json, *, or_missing: bool = False) -> ValueTest:
    """Returns the test of a comparison with a constant."""
    return ValueTest(meant_by(op, value), or_missing, op, value)


PRESENT: Final = value_test(Operator.NIN, [])
ABSENT: Final = value_test(Operator.IN, [], or_missing=True)


def states(*names: str) -> SpanTest:
    """Returns the test that a special variable has one of some states."""
    return SpanTest((), frozenset(names))


def attribute(section: AttributeSection | str, key: str) -> str:
    """Returns the key of the variable of an attribute."""
    return f"{section}{_PART}{key}"


def now_of(section: str, key: str) -> str:
    """Returns the key of the order of an attribute's instant and the request's (X5)."""
    return f"{_NOW}{_PART}{section}{_PART}{key}"


def reference(section: str, key: str, value_of: str) -> str:
    """Returns the key of the relation of an attribute with the value that a reference names (X2)."""
    return f"{_REFERENCE}{_PART}{section}{_PART}{key}{_PART}{value_of}"


def sides_of(key: str) -> tuple[str, str]:
    """Returns the keys of both attributes of a relation. The groups of a subject are no attribute."""
    _, section, name, value_of = parts(key)
    source, _, other = value_of.partition(".")
    right = GROUPS_KEY if value_of == str(GROUPS) else attribute(f"{source}_attrs", other)
    return attribute(section, name), right


def parts(key: str) -> tuple[str, ...]:
    """Returns the parts of a key. Its last part may itself contain the separator.

    >>> from ....bundles.conditions.gates import week
    >>> parts(attribute("resource_attrs", "status")), parts(week("UTC"))
    (('resource_attrs', 'status'), ('\\x01week', 'UTC'))
    """
    kind = key.partition(_PART)[0]
    return tuple(key.split(_PART, {_NOW: 2, _REFERENCE: 3}.get(kind, 1)))


def is_attribute(key: str) -> bool:
    """Returns whether a key is that of an attribute."""
    return not key.startswith("\1")


def is_week(key: str) -> bool:
    """Returns whether a key is that of minutes of the week."""
    return key.startswith(WEEK)


def is_now(key: str) -> bool:
    """Returns whether a key is that of a comparison with `now`."""
    return key.startswith(_NOW)


def is_reference(key: str) -> bool:
    """Returns whether a key is that of a relation with a reference."""
    return key.startswith(_REFERENCE)


def line_of(key: str) -> Span | None:
    """Returns the ends of the line of a special variable, or None if it has states alone."""
    if key == CLOCK:
        return _EVER
    if key == INSTANT:
        return EARLIEST, END
    if key == ADDRESS:
        return 0, V6_START + 2**128
    return (0, WEEK_MINUTES) if is_week(key) else None


def states_of(key: str) -> tuple[str, ...]:
    """Returns the states of a special variable, apart from those on its line."""
    if key == CLOCK:
        return ()
    if key == INSTANT or is_week(key):
        return (UNREADABLE,)
    if key == ADDRESS:
        return MISSING, UNREADABLE
    if key in (GRANT, OTHER_GRANT, REGISTERED, RATE):
        return NO, YES
    if is_now(key):
        return MISSING, UNREADABLE, BEFORE, SAME, AFTER
    return relations.WITH_TEXTS if parts(key)[3] == str(GROUPS) else relations.EVERY


def outside(key: str, values: Sequence[Json]) -> list[Json]:
    """Returns the values of a special variable that are none of some: spans of its line, and states."""
    line, spans = line_of(key), sorted(tuple(one) for one in values if isinstance(one, list))
    found: list[Json] = []
    if line is not None:
        ends = [line[0], *(end for span in spans for end in span), line[1]]
        found += [[low, high] for low, high in zip(ends[::2], ends[1::2], strict=True) if low < high]
    return [*found, *(state for state in states_of(key) if state not in values)]
