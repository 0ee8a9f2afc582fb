"""Tests of one attribute against one constant: for each section, the closure that does the least for its shape.

PERF: `check` alone would do for all of them. What is compared in place saves a second call, 35 ns of 100. The type is
looked at before anything is compared, since a value of a foreign Python type may equal whatever it likes, or raise.
That every shape means what `predicate` means is a law in the tests.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from ...bundles.conditions.comparisons import ORDERINGS, predicate
from ...bundles.conditions.keys import read, steps_of
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.values import NUMBER, Json, is_number
from ...bundles.program.clauses import AttributeSection
from ..requests.members import Attributes

Test: TypeAlias = Callable[[str, str | None, Attributes, str | None, Attributes, Attributes, Attributes, float], bool]
"""Takes the subject's type, id and attributes, the resource's id and attributes, the action's properties, the context
and the instant in epoch seconds. An id is None where the entity is known by another name only (E6). Never raises,
whatever the request holds (C7).

PERF: flat positional arguments; an object that carries them costs 0.4 µs a request more.
"""

Shape: TypeAlias = tuple[Any, ...]
"""A name in the tables of makers, and what the maker takes behind the key."""

NO_CLOCK = 0.0
"""The instant given to tests that ask for none."""

FEW = 8
"""Up to so many strings are compared one by one, which needs no hash and so no type check."""


def attribute_test(section: AttributeSection, key: str, op: Operator, constant: Json) -> Test:
    """The test of `section.key op constant`, for a key that is not an entity's own (C1 to C7)."""
    shape, *parts = _shape(key, op, constant)
    return _MAKERS[section][shape](key, *parts)


def _shape(key: str, op: Operator, constant: Json) -> Shape:
    if steps := steps_of(key):
        return "path", predicate(op, constant), steps
    return _SHAPES[op](constant) or ("check", predicate(op, constant))


def _shape_of_eq(constant: Json) -> Shape | None:
    if isinstance(constant, bool):
        return "flag", constant
    if isinstance(constant, str):
        return "text", constant
    return ("number", constant) if is_number(constant) else None


def _shape_of_in(constants: list[Json]) -> Shape | None:
    few = len(constants) <= FEW and all(isinstance(item, str) for item in constants)
    return ("few", tuple(constants)) if few else None


def _shape_of_order(compare: Callable[[Json, Json], bool], constant: Json) -> Shape | None:
    return ("order", compare, constant) if is_number(constant) else None


def _no_shape(_constant: Json) -> Shape | None:
    return None


_SHAPES: dict[Operator, Callable[[Json], Shape | None]] = {
    Operator.EQ: _shape_of_eq,
    Operator.NE: _no_shape,
    **{op: partial(_shape_of_order, compare) for op, compare in ORDERINGS.items()},
    Operator.IN: _shape_of_in,
    Operator.NIN: _no_shape,
    Operator.REGEX: _no_shape,
}
"""What makes the shape of an operator's test, None where `check` does. A test checks that no operator is missing."""


Maker: TypeAlias = Callable[..., Test]

_SUBJECT: dict[str, Maker] = {
    "flag": lambda k, want: lambda t, i, s, n, r, a, c, now: s.get(k) is want,
    "text": lambda k, want: (
        lambda t, i, s, n, r, a, c, now: ((v := s.get(k)).__class__ is str or isinstance(v, str)) and v == want
    ),
    "few": lambda k, want: (
        lambda t, i, s, n, r, a, c, now: ((v := s.get(k)).__class__ is str or isinstance(v, str)) and v in want
    ),
    "number": lambda k, want: (
        lambda t, i, s, n, r, a, c, now: isinstance(v := s.get(k), NUMBER) and v.__class__ is not bool and v == want
    ),
    "order": lambda k, compare, bound: (
        lambda t, i, s, n, r, a, c, now: (
            isinstance(v := s.get(k), NUMBER) and v.__class__ is not bool and compare(v, bound)
        )
    ),
    "check": lambda k, check: lambda t, i, s, n, r, a, c, now: check(s.get(k)),
    "path": lambda k, check, steps: lambda t, i, s, n, r, a, c, now: check(read(s, k, steps)),
}
_RESOURCE: dict[str, Maker] = {
    "flag": lambda k, want: lambda t, i, s, n, r, a, c, now: r.get(k) is want,
    "text": lambda k, want: (
        lambda t, i, s, n, r, a, c, now: ((v := r.get(k)).__class__ is str or isinstance(v, str)) and v == want
    ),
    "few": lambda k, want: (
        lambda t, i, s, n, r, a, c, now: ((v := r.get(k)).__class__ is str or isinstance(v, str)) and v in want
    ),
    "number": lambda k, want: (
        lambda t, i, s, n, r, a, c, now: isinstance(v := r.get(k), NUMBER) and v.__class__ is not bool and v == want
    ),
    "order": lambda k, compare, bound: (
        lambda t, i, s, n, r, a, c, now: (
            isinstance(v := r.get(k), NUMBER) and v.__class__ is not bool and compare(v, bound)
        )
    ),
    "check": lambda k, check: lambda t, i, s, n, r, a, c, now: check(r.get(k)),
    "path": lambda k, check, steps: lambda t, i, s, n, r, a, c, now: check(read(r, k, steps)),
}
_ACTION: dict[str, Maker] = {
    "flag": lambda k, want: lambda t, i, s, n, r, a, c, now: a.get(k) is want,
    "text": lambda k, want: (
        lambda t, i, s, n, r, a, c, now: ((v := a.get(k)).__class__ is str or isinstance(v, str)) and v == want
    ),
    "few": lambda k, want: (
        lambda t, i, s, n, r, a, c, now: ((v := a.get(k)).__class__ is str or isinstance(v, str)) and v in want
    ),
    "number": lambda k, want: (
        lambda t, i, s, n, r, a, c, now: isinstance(v := a.get(k), NUMBER) and v.__class__ is not bool and v == want
    ),
    "order": lambda k, compare, bound: (
        lambda t, i, s, n, r, a, c, now: (
            isinstance(v := a.get(k), NUMBER) and v.__class__ is not bool and compare(v, bound)
        )
    ),
    "check": lambda k, check: lambda t, i, s, n, r, a, c, now: check(a.get(k)),
    "path": lambda k, check, steps: lambda t, i, s, n, r, a, c, now: check(read(a, k, steps)),
}
_CONTEXT: dict[str, Maker] = {
    "flag": lambda k, want: lambda t, i, s, n, r, a, c, now: c.get(k) is want,
    "text": lambda k, want: (
        lambda t, i, s, n, r, a, c, now: ((v := c.get(k)).__class__ is str or isinstance(v, str)) and v == want
    ),
    "few": lambda k, want: (
        lambda t, i, s, n, r, a, c, now: ((v := c.get(k)).__class__ is str or isinstance(v, str)) and v in want
    ),
    "number": lambda k, want: (
        lambda t, i, s, n, r, a, c, now: isinstance(v := c.get(k), NUMBER) and v.__class__ is not bool and v == want
    ),
    "order": lambda k, compare, bound: (
        lambda t, i, s, n, r, a, c, now: (
            isinstance(v := c.get(k), NUMBER) and v.__class__ is not bool and compare(v, bound)
        )
    ),
    "check": lambda k, check: lambda t, i, s, n, r, a, c, now: check(c.get(k)),
    "path": lambda k, check, steps: lambda t, i, s, n, r, a, c, now: check(read(c, k, steps)),
}
_MAKERS: dict[AttributeSection, dict[str, Maker]] = {
    "subject_attrs": _SUBJECT,
    "resource_attrs": _RESOURCE,
    "action_attrs": _ACTION,
    "context_attrs": _CONTEXT,
}
