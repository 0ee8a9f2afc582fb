"""A filter as a Python predicate: what every other translation is held against."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, assert_never

from ...bundles.conditions.comparisons import predicate as comparison
from ...bundles.conditions.keys import read, steps_of
from ...bundles.conditions.values import Json
from .tree import All, Comparison, Const, Node, Not, Some, TreeLimits, read_tree

RowTest: TypeAlias = Callable[[Callable[[str, tuple[str, ...]], Json]], bool]
"""Takes how a row reads a key with its steps."""


def predicate(tree: Any, limits: TreeLimits | None = None) -> Callable[..., bool]:
    """The filter as a function of a row's attributes and its own keys, `f(attributes, id=None, type=None)`.

    The keys `id` and `type` read the row's own (E6), any other its attributes (C1). Raises BadFilter here; the
    function never raises, whatever JSON the attributes hold.

    >>> fits = predicate({"type": "field", "field": "size", "operator": "gt", "value": 3})
    >>> fits({"size": 5}), fits({"size": "5"}), fits({})
    (True, False, False)
    """
    holds = _closure(read_tree(tree, limits))

    def fits(attributes: Mapping[str, Json], id: str | None = None, type: str | None = None) -> bool:
        own = {"id": id, "type": type}
        return holds(lambda key, steps: own[key] if key in own else read(attributes, key, steps))

    return fits


def _closure(node: Node) -> RowTest:
    match node:
        case Const(value):
            return lambda _: value
        case Comparison(key, op, constant):
            check, steps = comparison(op, constant), steps_of(key)
            return lambda reads: check(reads(key, steps))
        case All(parts):
            tests = [_closure(part) for part in parts]
            return lambda reads: all(test(reads) for test in tests)
        case Some(parts):
            tests = [_closure(part) for part in parts]
            return lambda reads: any(test(reads) for test in tests)
        case Not(part):
            negated = _closure(part)
            return lambda reads: not negated(reads)
        case _:
            assert_never(node)
