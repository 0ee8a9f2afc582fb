"""A filter as a Python predicate, which is the reference for every other translation."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, assert_never

from ...bundles.conditions.attribute_keys import read, steps_of
from ...bundles.conditions.comparisons import predicate as comparison
from ...bundles.conditions.trees.tree import And, Const, FilterTree, Not, Or, TreeComparison
from ...bundles.conditions.values import Json
from .read_tree import TreeLimits, read_tree

RowTest: TypeAlias = Callable[[Callable[[str, tuple[str, ...]], Json]], bool]
"""A test of a row. Its argument reads a key, with the steps of its path, from the row."""


def predicate(tree: Any, limits: TreeLimits | None = None) -> Callable[..., bool]:
    """Returns the filter as a function of a row's attributes and its own keys, `f(attributes, id=None, type=None)`.

    The keys `id` and `type` read the row's own (E6), any other its attributes (C1). Raises BadFilter here. The
    function raises TypeError for an attribute that it reads and that is no JSON value, such as a Decimal or a date.

    >>> fits = predicate({"type": "field", "field": "size", "operator": "gt", "value": 3})
    >>> fits({"size": 5}), fits({"size": "5"}), fits({})
    (True, False, False)
    """
    holds = _closure(read_tree(tree, limits))

    def fits(attributes: Mapping[str, Json], id: str | None = None, type: str | None = None) -> bool:
        own = {"id": id, "type": type}
        return holds(lambda key, steps: own[key] if key in own else read(attributes, key, steps))

    return fits


def _closure(tree: FilterTree) -> RowTest:
    match tree:
        case TreeComparison(key, op, value):
            check, steps = comparison(op, value), steps_of(key)
            return lambda reads: check(json_value(reads(key, steps), key))
        case And(children):
            tests = [_closure(child) for child in children]
            return lambda reads: all(test(reads) for test in tests)
        case Or(children):
            tests = [_closure(child) for child in children]
            return lambda reads: any(test(reads) for test in tests)
        case Not(child):
            test = _closure(child)
            return lambda reads: not test(reads)
        case Const(value):
            return lambda _: value
        case _:
            assert_never(tree)


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
