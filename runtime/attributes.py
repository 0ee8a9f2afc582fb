"""Tests of one attribute against one constant: for each section, the closure that does the least for its shape.

PERF: `check` alone would do for all of them. A string, a flag or a set of strings compared in place saves the second
call, 35 ns of 100. That they mean what `predicate` means is a law in the tests.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from bundles.conditions.comparisons import predicate
from bundles.conditions.keys import read, steps_of
from bundles.conditions.values import Json
from bundles.program import Section
from runtime.requests import Attributes

Test: TypeAlias = Callable[[str, str | None, Attributes, str | None, Attributes, Attributes, Attributes, float], bool]
"""Takes the subject's type, id and attributes, the resource's id and attributes, the action's properties, the context
and the instant in epoch seconds. An id is None where the entity is known by another name only (E6). Never raises,
whatever the request holds (C7).

PERF: flat positional arguments; an object that carries them costs 0.4 µs a request more.
"""

_MAKERS: dict[tuple[Section, str], Callable[..., Test]] = {
    ("subject_attrs", "text"): lambda k, want: lambda t, i, s, n, r, a, c, now: s.get(k) == want,
    ("subject_attrs", "flag"): lambda k, want: lambda t, i, s, n, r, a, c, now: s.get(k) is want,
    ("subject_attrs", "texts"): lambda k, want: (
        lambda t, i, s, n, r, a, c, now: isinstance(v := s.get(k), str) and v in want
    ),
    ("subject_attrs", "check"): lambda k, check: lambda t, i, s, n, r, a, c, now: check(s.get(k)),
    ("subject_attrs", "path"): lambda k, check, steps: lambda t, i, s, n, r, a, c, now: check(read(s, k, steps)),
    ("resource_attrs", "text"): lambda k, want: lambda t, i, s, n, r, a, c, now: r.get(k) == want,
    ("resource_attrs", "flag"): lambda k, want: lambda t, i, s, n, r, a, c, now: r.get(k) is want,
    ("resource_attrs", "texts"): lambda k, want: (
        lambda t, i, s, n, r, a, c, now: isinstance(v := r.get(k), str) and v in want
    ),
    ("resource_attrs", "check"): lambda k, check: lambda t, i, s, n, r, a, c, now: check(r.get(k)),
    ("resource_attrs", "path"): lambda k, check, steps: lambda t, i, s, n, r, a, c, now: check(read(r, k, steps)),
    ("action_attrs", "text"): lambda k, want: lambda t, i, s, n, r, a, c, now: a.get(k) == want,
    ("action_attrs", "flag"): lambda k, want: lambda t, i, s, n, r, a, c, now: a.get(k) is want,
    ("action_attrs", "texts"): lambda k, want: (
        lambda t, i, s, n, r, a, c, now: isinstance(v := a.get(k), str) and v in want
    ),
    ("action_attrs", "check"): lambda k, check: lambda t, i, s, n, r, a, c, now: check(a.get(k)),
    ("action_attrs", "path"): lambda k, check, steps: lambda t, i, s, n, r, a, c, now: check(read(a, k, steps)),
    ("context_attrs", "text"): lambda k, want: lambda t, i, s, n, r, a, c, now: c.get(k) == want,
    ("context_attrs", "flag"): lambda k, want: lambda t, i, s, n, r, a, c, now: c.get(k) is want,
    ("context_attrs", "texts"): lambda k, want: (
        lambda t, i, s, n, r, a, c, now: isinstance(v := c.get(k), str) and v in want
    ),
    ("context_attrs", "check"): lambda k, check: lambda t, i, s, n, r, a, c, now: check(c.get(k)),
    ("context_attrs", "path"): lambda k, check, steps: lambda t, i, s, n, r, a, c, now: check(read(c, k, steps)),
}


def attribute_test(section: Section, key: str, op: str, constant: Json) -> Test:
    """The test of `section.key op constant`, for a key that is not an entity's own (C1 to C7)."""
    shape, *parts = _shape(key, op, constant)
    return _MAKERS[section, shape](key, *parts)


def _shape(key: str, op: str, constant: Json) -> tuple[Any, ...]:
    if steps := steps_of(key):
        return "path", predicate(op, constant), steps
    match op, constant:
        case "eq", bool():
            return "flag", constant
        case "eq", str():
            return "text", constant
        case "in", list() if all(isinstance(item, str) for item in constant):
            return "texts", frozenset(constant)
        case _:
            return "check", predicate(op, constant)
