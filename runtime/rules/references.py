"""Tests of one attribute against another value of a request, such as `resource.owner is subject.id` (X1, X2, X6).

PERF: a test compares in place two strings, two numbers, or a string or a short array of strings with such an array or
with the groups. `CarefulComparison` compares all others, since they may be of any type. The first test of a plan also
does the work of the guard (X1).
"""

from collections.abc import Callable, Hashable, Sequence
from functools import cache
from textwrap import indent
from typing import Any, Final
from weakref import WeakValueDictionary

from ...bundles.conditions.attribute_keys import read, reads_own_key, steps_of
from ...bundles.conditions.operators import Operator
from ...bundles.conditions.references import GROUPS, ValueOf
from ...bundles.conditions.values import Json
from ...bundles.program.clauses import Reference
from .array_elements import QUICK_ELEMENTS
from .attributes import ARGUMENTS, OWN_KEYS, OWNERS, Test
from .careful_comparison import CarefulComparison

_SYMBOLS: Final[dict[Operator, str]] = {
    Operator.EQ: "==",
    Operator.NE: "!=",
    Operator.GT: ">",
    Operator.GTE: ">=",
    Operator.LT: "<",
    Operator.LTE: "<=",
}
"""Python's operators for two strings or numbers. An operator of lists has none: neither is a list."""

_MEMBERSHIPS: Final[dict[Operator, str]] = {Operator.IN: "in", Operator.NIN: "not in"}
_SHARES: Final[dict[Operator, str]] = {Operator.HAS_ANY: "not ", Operator.HAS_NONE: ""}

_SCALARS: Final = """\
w = {right}
if {ready} and w.__class__ is str:
    v = {left}
    return v {symbol} w if v.__class__ is str else v is not None and {carefully}
if {ready} and (w.__class__ is int or w.__class__ is float):
    v = {left}
    return v {symbol} w if v.__class__ is int or v.__class__ is float else v is not None and {carefully}
return {otherwise}
"""
_TEXT_IN_GROUPS: Final = """\
if {ready}:
    v = {left}
    return v {symbol} h.memberships.id_set if v.__class__ is str else v is not None and {carefully}
return {otherwise}
"""
_SHARED_WITH_GROUPS: Final = f"""\
v = {{left}}
if {{ready}} and v.__class__ is list and len(v) <= {QUICK_ELEMENTS}:
    for x in v:
        if x.__class__ is not str:
            break
    else:
        return {{symbol}}h.memberships.id_set.isdisjoint(v)
return {{otherwise}}
"""
_TEXT_IN_ARRAY: Final = f"""\
w = {{right}}
if {{ready}} and w.__class__ is list and len(w) <= {QUICK_ELEMENTS}:
    for x in w:
        if x.__class__ is not str:
            break
    else:
        v = {{left}}
        return v {{symbol}} w if v.__class__ is str else v is not None and {{carefully}}
return {{otherwise}}
"""
_ARRAY_HAS_TEXT: Final = f"""\
v = {{left}}
w = {{right}}
if {{ready}} and w.__class__ is str and v.__class__ is list and len(v) <= {QUICK_ELEMENTS}:
    for x in v:
        if x.__class__ is not str:
            break
    else:
        return w {{symbol}} v
return {{otherwise}}
"""
_SHARED_WITH_ARRAY: Final = f"""\
v = {{left}}
w = {{right}}
if {{ready}} and v.__class__ is w.__class__ is list and len(v) <= {QUICK_ELEMENTS} and len(w) <= {QUICK_ELEMENTS}:
    for x in (*v, *w):
        if x.__class__ is not str:
            break
    else:
        return {{symbol}}set(v).isdisjoint(w)
return {{otherwise}}
"""
"""PERF: for few elements, a loop takes half the time of `map(type, w)`.

INVARIANT: Python's `in` is C3 here, since each element is a string and nothing else. A subclass of `str` may compare as
it likes, and a value of a type that JSON has not must be refused (C7).
"""

_IN_NO_FORM: Final = "return {otherwise}"
"""The body for an operator that has no fast form."""

_FORMS: Final[dict[str, dict[Operator, str]]] = {
    _SCALARS: _SYMBOLS,
    _TEXT_IN_GROUPS: _MEMBERSHIPS,
    _SHARED_WITH_GROUPS: _SHARES,
    _TEXT_IN_ARRAY: _MEMBERSHIPS,
    _ARRAY_HAS_TEXT: {Operator.HAS: "in"},
    _SHARED_WITH_ARRAY: _SHARES,
}
"""The body of a test that compares in place, and Python's symbol of each operator that has this form. `{ready}` is true
if no other value needs a closer look, `{carefully}` compares an attribute of another type, and `{otherwise}` does all.
"""

_COMPARED: Final = "key, steps, other, other_steps"

SMALL: Final = frozenset({type(None), bool, int, float, str})
"""The types of values that are never too large to refer to (X1)."""

MOST_BESIDE: Final = 3
"""A guarded test looks at up to this many values besides the one that it compares."""

_tests: WeakValueDictionary[Hashable, Test] = WeakValueDictionary()


def reference_test(atom: Reference, type_name: str, unreadable: bool) -> Test:
    """Returns the test of a comparison with a reference, for resources of the type that requests call `type_name`.

    `unreadable` is its result if one of the two values can't be read: true in a DENY. A left value that is absent makes
    it false, whatever the effect (X2). An array of more than MOST_ELEMENTS elements can't be read; `guard_of` refuses
    it where the request is about one subject.
    """
    name = atom, type_name if _compares_type(atom) else "", unreadable
    test = _tests.get(name)
    if test is None:
        test = _tests[name] = _made(atom, type_name, unreadable)
    return test


def guarded_test(atom: Reference, test: Test, guard: Test, watched: Sequence[ValueOf]) -> Test | None:
    """Returns `test`, the test of a comparison, with a guard before it, or None if that would not be faster.

    `guard` refuses a request if one of the values `watched` is too large (X1).

    PERF: the guard is called only if some value needs a closer look. Its call takes as long as most tests.
    """
    form = _form_of(atom)
    others = [value_of for value_of in watched if value_of != atom.value_of]
    if form is None or _compares_type(atom) or len(others) > MOST_BESIDE:
        return None
    body = form.format(
        left=_left(atom),
        right=_right(atom.value_of),
        symbol=_FORMS[form][atom.op],
        ready=" and ".join(f"{_right(one, str(n))}.__class__ in small" for n, one in enumerate(others)) or "True",
        carefully=f"test({ARGUMENTS})",
        otherwise=f"guard({ARGUMENTS}) or test({ARGUMENTS})",
    )
    made: Test = _maker("guard, test, " + _COMPARED + _named(len(others)), body)(
        guard, test, *_keys(atom), *(part for one in others for part in (one.key, steps_of(one.key)))
    )
    return made


def watcher_of(watched: Sequence[tuple[ValueOf, Callable[[Json], object]]]) -> Test:
    """Returns a test that never holds. It gives each referred value that may be too large to the function beside it."""
    body = "".join(
        f"if (w := {_right(value_of, str(n))}).__class__ is not str and w.__class__ not in small:\n    examine{n}(w)\n"
        for n, (value_of, _) in enumerate(watched)
    )
    parameters = ", ".join(f"examine{n}, other{n}, other_steps{n}" for n in range(len(watched)))
    made: Test = _maker(parameters, body + "return False")(
        *(part for value_of, examine in watched for part in (examine, value_of.key, steps_of(value_of.key)))
    )
    return made


def value_reader(value_of: ValueOf) -> Callable[..., Json]:
    """Returns the reader of a referred value from the arguments of a test; None means that it is absent."""
    found: Callable[..., Json] = _maker("other, other_steps", f"return {_right(value_of)}")(
        value_of.key, steps_of(value_of.key)
    )
    return found


def _compares_type(atom: Reference) -> bool:
    """Returns whether the attribute is the type of the resource, which is known before the test is made."""
    return (atom.section, atom.key) == ("resource_attrs", "type")


def _form_of(atom: Reference) -> str | None:
    """Returns the body of a test that compares in place, or None if there is none for the operator."""
    forms = (
        (_TEXT_IN_GROUPS, _SHARED_WITH_GROUPS)
        if atom.value_of == GROUPS
        else (_SCALARS, _TEXT_IN_ARRAY, _ARRAY_HAS_TEXT, _SHARED_WITH_ARRAY)
    )
    return next((form for form in forms if atom.op in _FORMS[form]), None)


def _left(atom: Reference) -> str:
    if reads_own_key(atom.section, atom.key):
        return OWN_KEYS.get((atom.section, atom.key), "known")
    owner = OWNERS[atom.section]
    return f"read({owner}, key, steps)" if steps_of(atom.key) else f"{owner}.get(key)"


def _right(value_of: ValueOf, number: str = "") -> str:
    section = value_of.section
    if value_of == GROUPS:
        return "h.memberships.ids"
    if reads_own_key(section, value_of.key):
        return OWN_KEYS[section, value_of.key]
    owner = OWNERS[section]
    if steps_of(value_of.key):
        return f"read({owner}, other{number}, other_steps{number})"
    return f"{owner}.get(other{number})"


def _keys(atom: Reference) -> tuple[str, Sequence[str], str, Sequence[str]]:
    return atom.key, steps_of(atom.key), atom.value_of.key, steps_of(atom.value_of.key)


def _named(count: int) -> str:
    return "".join(f", other{n}, other_steps{n}" for n in range(count))


def _made(atom: Reference, type_name: str, unreadable: bool) -> Test:
    form, left, right = _form_of(atom), _left(atom), _right(atom.value_of)
    body = (form or _IN_NO_FORM).format(
        left=left,
        right=right,
        symbol=_FORMS[form][atom.op] if form else "",
        ready="True",
        carefully=f"check(v, {right})",
        otherwise=f"(v := {left}) is not None and check(v, {right})",
    )
    made: Test = _maker("check, known, " + _COMPARED, body)(
        CarefulComparison(atom, unreadable), type_name, *_keys(atom)
    )
    return made


@cache
def _maker(parameters: str, body: str) -> Callable[..., Any]:
    """Returns the function that makes a test from `parameters`, to which its body refers."""
    names: dict[str, Any] = {"read": read, "small": SMALL}
    source = f"def make({parameters}):\n  def holds({ARGUMENTS}):\n{indent(body, '    ')}\n  return holds"
    exec(source, names)  # noqa: S102 - only our own tables
    made: Callable[..., Any] = names["make"]
    return made
