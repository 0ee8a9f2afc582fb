"""Tests of one attribute against one constant: for each section and shape of comparison, the closure that does least.

A test reads its section's attributes directly from its arguments, so it can't be one function for all sections.
`source_of` writes the Python source of each from one template, and tests compare every one with `predicate`.

PERF: a second call inside a test costs 35 ns of 100. So a test compares a value of the constant's own class in place,
and asks `carefully` about any other: a value of a foreign Python type may equal anything, or raise.
"""

from collections.abc import Callable, Hashable
from functools import cache, partial
from types import CodeType, FunctionType
from typing import Any, Final, TypeAlias
from weakref import WeakValueDictionary

from ...bundles.conditions.attribute_keys import read, reads_own_key, steps_of
from ...bundles.conditions.comparisons import predicate
from ...bundles.conditions.constants import LARGE_INTEGER
from ...bundles.conditions.operators import OF_ELEMENTS, Operator
from ...bundles.conditions.values import Json, is_number
from ...bundles.program.clauses import AttributeSection
from ..requests.members import Attributes
from .array_elements import quick_on_event_loop
from .foreign_values import carefully, plain_at
from .memberships import HasGroups

Asked: TypeAlias = tuple[str, str | None, Attributes, str | None, Attributes, Attributes, Attributes, HasGroups, float]
"""One question, as the arguments of a test. They are always written `t, i, s, n, r, a, c, h, now`:

- `t`, `i`, `s`: the subject's type, id and attributes;
- `n`, `r`: the resource's id and attributes;
- `a`: the action's properties;
- `c`: the context;
- `h`: the subject's groups;
- `now`: the instant, in epoch seconds.

An id is None if the entity is not registered and named by another identifier (E6).

PERF: flat positional arguments; an object that carries them costs 0.4 µs a request more.
"""

Test: TypeAlias = Callable[
    [str, str | None, Attributes, str | None, Attributes, Attributes, Attributes, HasGroups, float], bool
]
"""The test of a condition: returns whether it holds for the arguments of `Asked`.

It raises BadRequest if it reads a value that JSON has not, and nothing else, whatever the request contains (C7).
"""

ValueOf: TypeAlias = Callable[
    [str, str | None, Attributes, str | None, Attributes, Attributes, Attributes, HasGroups, float], Json
]
"""Returns the value of one attribute from the arguments of `Asked`, or None if it is absent."""

Shape: TypeAlias = tuple[str, str, Json]
"""The name of a shape, Python's operator, and the constant as the operator takes it."""

NO_CLOCK = 0.0
"""The instant given to tests that read no clock."""

FEW = 8
"""Up to this many strings are compared one by one. For more, `predicate` makes a set."""

ARGUMENTS: Final = "t, i, s, n, r, a, c, h, now"
OWNERS: Final[dict[str, str]] = {
    "subject_attrs": "s",
    "resource_attrs": "r",
    "action_attrs": "a",
    "context_attrs": "c",
}
"""The argument that has a section's attributes."""

OWN_KEYS: Final = {("subject_attrs", "type"): "t", ("subject_attrs", "id"): "i", ("resource_attrs", "id"): "n"}
"""The arguments that are an entity's own keys (E6). A resource's type is known before its tests are made."""

_OTHERWISE: Final = "v is not None and {otherwise}"
"""PERF: where a test compares in place, a value of another type costs a call, and all others cost nothing more."""

_TEMPLATES: Final = {
    "flag": (
        "key, constant, check",
        "(v := get({owner}, {key}, {symbol})) is {constant} or v is not {symbol} and {otherwise}",
    ),
    "other flag": (
        "key, constant, check",
        "v is not {constant} if (v := get({owner}, {key})).__class__ is bool else " + _OTHERWISE,
    ),
    "text": (
        "key, constant, check",
        "v {symbol} {constant} if (v := get({owner}, {key})).__class__ is str else " + _OTHERWISE,
    ),
    "number": (
        "key, constant, check",
        "v {symbol} {constant} if (v := get({owner}, {key})).__class__ is int or v.__class__ is float else "
        + _OTHERWISE,
    ),
    "check": (
        "key, of_text, check",
        "of_text(v) if (v := get({owner}, {key})).__class__ is str else " + _OTHERWISE,
    ),
    "path": (
        "key, of_text, check, steps",
        "of_text(v) if (v := read({owner}, {key}, steps)).__class__ is str else " + _OTHERWISE,
    ),
    "value": (
        "key, steps, plain",
        "v if (v := read({owner}, {key}, steps)) is None or v.__class__ is str else plain(v)",
    ),
    "own check": ("check", "check({owner})"),
    "own value": ("", "{owner}"),
}
"""The parameters of each shape, and its expression. `{owner}` stands for the argument that has the value. `{symbol}`
stands for Python's operator, for a flag for the other flag. `{otherwise}` is for a value `v` of any other type.
`check` takes any value, `of_text` any string. `get` is that of dictionaries.
"""

_NAMES: Final = {"key": "key", "constant": "constant", "otherwise": "check(v)"}
"""The names in the expression of a closure."""

_IN_PLACE: Final = frozenset({"flag", "other flag", "text", "number"})
"""The shapes of tests that compare in place with a constant."""

LONGEST_WRITTEN: Final = 256
"""A key and a constant with a longer Python source are not written into another function."""

_written: dict[CodeType, tuple[str, str, str]] = {}
"""The shape, the owner and the symbol of each test that compares in place, by the code that such tests share."""

_tests: WeakValueDictionary[Hashable, Test] = WeakValueDictionary()


def attribute_test(section: AttributeSection, key: str, op: Operator, constant: Json, unreadable: bool = False) -> Test:
    """Returns the test of `section.key op constant` (C1 to C7, E6). Not for the type of a resource.

    `unreadable` is its result for a value that is Unreadable: true in a DENY (C11).

    PERF: rules that repeat a comparison share its test, while one of them is in use. A thousand policies often have
    only a few hundred comparisons, and their tests then stay in the processor's caches.
    """
    compared = _hashable(constant)
    if compared is None:
        return _made(section, key, op, constant, unreadable)
    name = section, key, op, compared, unreadable
    test = _tests.get(name)
    if test is None:
        test = _tests[name] = _made(section, key, op, constant, unreadable)
    return test


def attribute_value(section: AttributeSection, key: str) -> ValueOf:
    """Returns the reader of an attribute's value. Not for the type of a resource."""
    if reads_own_key(section, key):
        return _maker("own value", OWN_KEYS[section, key])()
    return _maker("value", OWNERS[section])(key, steps_of(key), plain_at(section, key))


def source_of(shape: str, owner: str, symbol: str = "") -> str:
    """Returns the Python source of the function that makes the tests of a shape.

    >>> source_of("own check", "i")
    'lambda check: lambda t, i, s, n, r, a, c, h, now: check(i)'
    """
    parameters, expression = _TEMPLATES[shape]
    return f"lambda {parameters}: lambda {ARGUMENTS}: {expression.format(owner=owner, symbol=symbol, **_NAMES)}"


def written(test: Test, otherwise: str) -> str | None:
    """Returns a test as a Python expression of its arguments, or None if it does not compare in place.

    It may set `v`, calls `dict.get` by the name `get`, and has the value of `otherwise` for a value of another type.

    >>> written(attribute_test("resource_attrs", "status", Operator.EQ, "draft"), "odd")
    "v == 'draft' if (v := get(r, 'status')).__class__ is str else v is not None and odd"
    """
    if not isinstance(test, FunctionType) or (form := _written.get(test.__code__)) is None:
        return None
    shape, owner, symbol = form
    cells = zip(test.__code__.co_freevars, test.__closure__ or (), strict=True)
    parts = {name: cell.cell_contents for name, cell in cells}
    key, constant = ascii(parts["key"]), _literal(parts["constant"])
    if constant is None or len(key) + len(constant) > LONGEST_WRITTEN:
        return None
    _, expression = _TEMPLATES[shape]
    return expression.format(owner=owner, symbol=symbol, key=key, constant=constant, otherwise=otherwise)


def _literal(constant: Any) -> str | None:
    """Returns the Python source of a constant, or None for a number that has none, or a very long one."""
    if is_number(constant) and not -LARGE_INTEGER < constant < LARGE_INTEGER:
        return None
    return ascii(constant)


def _hashable(constant: Json) -> Hashable | None:
    """Returns a value that is equal for the same constants only (C3), or None for one that is not compared in place."""
    if isinstance(constant, list):
        return tuple(constant) if _are_few_texts(constant) else None
    return None if isinstance(constant, dict) else (constant.__class__, constant)


def _made(section: AttributeSection, key: str, op: Operator, constant: Json, unreadable: bool) -> Test:
    check = quick_on_event_loop(predicate(op, constant)) if OF_ELEMENTS[op] else predicate(op, constant)
    if reads_own_key(section, key):
        return _maker("own check", OWN_KEYS[section, key])(check)
    owner, careful = OWNERS[section], carefully(check, section, key, unreadable)
    if steps := steps_of(key):
        return _maker("path", owner)(key, check, careful, steps)
    shape_of = _SHAPES.get(op)
    shape = None if shape_of is None else shape_of(constant)
    if shape is None:
        return _maker("check", owner)(key, check, careful)
    name, symbol, compared = shape
    return _maker(name, owner, symbol)(key, compared, careful)


@cache
def _maker(shape: str, owner: str, symbol: str = "") -> Callable[..., Callable[..., Any]]:
    source = source_of(shape, owner, symbol)
    made: Callable[..., Callable[..., Any]] = eval(source, {"read": read, "get": dict.get})  # noqa: S307 - only our own tables
    if shape in _IN_PLACE:
        _written[next(part for part in made.__code__.co_consts if isinstance(part, CodeType))] = shape, owner, symbol
    return made


def _shape_of_one(symbol: str, constant: Json) -> Shape | None:
    if isinstance(constant, bool):
        return _SHAPES_OF_FLAGS[symbol], str(not constant), constant
    if isinstance(constant, str):
        return "text", symbol, constant
    return ("number", symbol, constant) if is_number(constant) else None


def _shape_of_list(symbol: str, constants: list[Json]) -> Shape | None:
    return ("text", symbol, tuple(constants)) if _are_few_texts(constants) else None


def _are_few_texts(constants: list[Json]) -> bool:
    return len(constants) <= FEW and all(isinstance(item, str) for item in constants)


_SHAPES_OF_FLAGS: Final = {"==": "flag", "!=": "other flag"}
_SHAPES: Final[dict[Operator, Callable[[Json], Shape | None]]] = {
    Operator.EQ: partial(_shape_of_one, "=="),
    Operator.NE: partial(_shape_of_one, "!="),
    Operator.GT: partial(_shape_of_one, ">"),
    Operator.GTE: partial(_shape_of_one, ">="),
    Operator.LT: partial(_shape_of_one, "<"),
    Operator.LTE: partial(_shape_of_one, "<="),
    Operator.IN: partial(_shape_of_list, "in"),
    Operator.NIN: partial(_shape_of_list, "not in"),
}
"""The functions that choose the shape of a fast test, or None. Without one, `check` is the test."""
