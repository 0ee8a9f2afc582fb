"""A filter as a Python predicate, which is the reference for every other translation."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, assert_never

from ...bundles.conditions.attribute_keys import read, steps_of
from ...bundles.conditions.comparisons import predicate as comparison
from ...bundles.conditions.trees.direct_grants import DirectGrants, FilterLike
from ...bundles.conditions.trees.instant_comparisons import InstantComparison
from ...bundles.conditions.trees.tree import And, Const, Not, Or, TreeComparison
from ...bundles.conditions.values import Json
from .fields import Direct, direct_condition
from .read_tree import ROOT, TreeLimits, path_of_child, read_tree

RowTest: TypeAlias = Callable[[Callable[[str, tuple[str, ...]], Json]], bool]
"""A test of a row. Its argument reads a key, with the steps of its path, from the row."""


def predicate(tree: Any, limits: TreeLimits | None = None, *, direct: Direct | None = None) -> Callable[..., bool]:
    """Returns the filter as a function of a row's attributes and its own keys, `f(attributes, id=None, type=None)`.

    The keys `id` and `type` read the row's own (E6), any other its attributes (C1). `direct` returns the test of a
    row's id for a node of direct grants (F8). Raises BadFilter here, and Untranslatable if `direct` is missing. The
    function raises TypeError for an attribute that it reads and that is no JSON value, such as a Decimal or a date.

    >>> fits = predicate({"type": "field", "field": "size", "operator": "gt", "value": 3})
    >>> fits({"size": 5}), fits({"size": "5"}), fits({})
    (True, False, False)
    """
    holds = _closure(read_tree(tree, limits), ROOT, direct)

    def fits(attributes: Mapping[str, Json], id: str | None = None, type: str | None = None) -> bool:
        own = {"id": id, "type": type}
        return holds(lambda key, steps: own[key] if key in own else read(attributes, key, steps))

    return fits


def _closure(tree: FilterLike, path: str, direct: Direct | None) -> RowTest:
    match tree:
        case DirectGrants():
            granted: Callable[[Json], bool] = direct_condition(direct, tree, path, "python")
            return lambda reads: bool(granted(reads("id", ("id",))))
        case InstantComparison(key):
            of_key = steps_of(key)
            return lambda reads: tree.holds(json_value(reads(key, of_key), key))
        case TreeComparison(key, op, value):
            check, steps = comparison(op, value), steps_of(key)
            return lambda reads: check(json_value(reads(key, steps), key))
        case And(children):
            tests = _closures(children, path, direct)
            return lambda reads: all(test(reads) for test in tests)
        case Or(children):
            tests = _closures(children, path, direct)
            return lambda reads: any(test(reads) for test in tests)
        case Not(child):
            test = _closure(child, path_of_child(path, 0), direct)
            return lambda reads: not test(reads)
        case Const(value):
            return lambda _: value
        case _:
            assert_never(tree)


def _closures(children: tuple[FilterLike, ...], path: str, direct: Direct | None) -> list[RowTest]:
    return [_closure(child, path_of_child(path, number), direct) for number, child in enumerate(children)]


def json_value(value: Any, key: str) -> Json:
    """Returns the value if it is JSON. A comparison with anything else would be false, and its negation true (F5)."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list | dict):
            waiting.extend(one.values() if isinstance(one, dict) else one)
        elif one is not None and not isinstance(one, str | int | float):
            found = type(one).__name__
            raise TypeError(f"the attribute `{key}` holds a `{found}`, which JSON has not: send its string or number")
    return value
