"""Tests of one attribute against one constant: for each section and shape of comparison, the closure that does least.

A test reads its section's attributes directly from its arguments, so it can't be one function for all sections.
`source_of` writes the Python source of each from one template, and tests compare every one with `predicate`.

PERF: a second call inside a test costs 35 ns of 100. So the common shapes compare in place, and only the others call
`predicate`. The type of a value is checked before it is compared, because a value of a foreign Python type may equal
anything, or raise.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Final, TypeAlias

from ...bundles.conditions.comparisons import ORDERINGS, predicate
from ...bundles.conditions.keys import read, reads_own_key, steps_of
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.values import NUMBER, Json, is_number
from ...bundles.program.clauses import AttributeSection
from ..requests.members import Attributes

Asked: TypeAlias = tuple[str, str | None, Attributes, str | None, Attributes, Attributes, Attributes, float]
"""One question, as the arguments of a test. They are always written `t, i, s, n, r, a, c, now`:

- `t`, `i`, `s`: the subject's type, id and attributes;
- `n`, `r`: the resource's id and attributes;
- `a`: the action's properties;
- `c`: the context;
- `now`: the instant, in epoch seconds.

An id is None if the entity is not registered and named by another identifier (E6).

PERF: flat positional arguments; an object that carries them costs 0.4 µs a request more.
"""

Test: TypeAlias = Callable[[str, str | None, Attributes, str | None, Attributes, Attributes, Attributes, float], bool]
"""Whether a condition holds for the arguments of `Asked`. It never raises, whatever the request contains (C7)."""

ValueOf: TypeAlias = Callable[
    [str, str | None, Attributes, str | None, Attributes, Attributes, Attributes, float], Json
]
"""Returns the value of one attribute from the arguments of `Asked`, or None if it is absent."""

Shape: TypeAlias = tuple[Any, ...]
"""The name of a shape, and its parameters after the key."""

NO_CLOCK = 0.0
"""The instant given to tests that read no clock."""

FEW = 8
"""Up to this many strings are compared one by one. For more, `predicate` makes a set."""

_ARGUMENTS: Final = "t, i, s, n, r, a, c, now"
_ATTRIBUTES: Final[dict[AttributeSection, str]] = {
    "subject_attrs": "s",
    "resource_attrs": "r",
    "action_attrs": "a",
    "context_attrs": "c",
}
"""The argument that has a section's attributes."""

_OWN_KEYS: Final = {("subject_attrs", "type"): "t", ("subject_attrs", "id"): "i", ("resource_attrs", "id"): "n"}
"""The arguments that are an entity's own keys (E6). A resource's type is known before its tests are made."""

_TEXT: Final = "((v := {owner}.get(key)).__class__ is str or isinstance(v, str))"
_NUMBER: Final = "isinstance(v := {owner}.get(key), NUMBER) and v.__class__ is not bool"
_TEMPLATES: Final = {
    "flag": ("key, constant", "{owner}.get(key) is constant"),
    "text": ("key, constant", _TEXT + " and v == constant"),
    "few": ("key, constant", _TEXT + " and v in constant"),
    "number": ("key, constant", _NUMBER + " and v == constant"),
    "order": ("key, compare, constant", _NUMBER + " and compare(v, constant)"),
    "check": ("key, check", "check({owner}.get(key))"),
    "path": ("key, check, steps", "check(read({owner}, key, steps))"),
    "value": ("key, steps", "read({owner}, key, steps)"),
    "own check": ("check", "check({owner})"),
    "own value": ("", "{owner}"),
}
"""The parameters of each shape, and its expression. `{owner}` stands for the argument that has the value."""


def attribute_test(section: AttributeSection, key: str, op: Operator, constant: Json) -> Test:
    """Returns the test of `section.key op constant` (C1 to C7, E6). Not for the type of a resource."""
    if reads_own_key(section, key):
        return _maker("own check", _OWN_KEYS[section, key])(predicate(op, constant))
    shape, *parts = _shape(key, op, constant)
    return _maker(shape, _ATTRIBUTES[section])(key, *parts)


def attribute_value(section: AttributeSection, key: str) -> ValueOf:
    """Returns the reader of an attribute's value. Not for the type of a resource."""
    if reads_own_key(section, key):
        return _maker("own value", _OWN_KEYS[section, key])()
    return _maker("value", _ATTRIBUTES[section])(key, steps_of(key))


def source_of(shape: str, owner: str) -> str:
    """Returns the Python source of the function that makes the tests of a shape.

    >>> source_of("flag", "r")
    'lambda key, constant: lambda t, i, s, n, r, a, c, now: r.get(key) is constant'
    """
    parameters, expression = _TEMPLATES[shape]
    return f"lambda {parameters}: lambda {_ARGUMENTS}: {expression.format(owner=owner)}"


@cache
def _maker(shape: str, owner: str) -> Callable[..., Callable[..., Any]]:
    names = {"NUMBER": NUMBER, "read": read}
    made: Callable[..., Callable[..., Any]] = eval(source_of(shape, owner), names)  # noqa: S307 - only our own tables
    return made


def _shape(key: str, op: Operator, constant: Json) -> Shape:
    """Returns the shape of a comparison, and its parameters after the key."""
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
"""The functions that choose a shape for an operator, or None for `check`. A test finds a missing operator."""
