"""The nodes of a filter tree: a closed set for filters, their JSON, searches and translations (F4 to F6).

The leaves of a filter are Comparisons. A translation replaces each leaf by conditions on columns, and keeps the other
nodes. So all kinds of trees share And, Or, Not and Const.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Generic, TypeAlias, TypeVar

from ..constants import canonical_constant, canonical_key, canonical_list
from ..operators import OF_ELEMENTS, TAKES_LIST, Operator
from ..values import Json

Leaf = TypeVar("Leaf", covariant=True)

_SINGLE_VALUE: dict[Operator, Operator] = {Operator.IN: Operator.EQ, Operator.NIN: Operator.NE}
"""The operator that has the same meaning as an operator of lists, if the list has one constant."""


def normal_elements(op: Operator, constant: Json) -> tuple[Operator, list[Json]]:
    """Returns the canonical form of a test of an array's elements: `has` becomes `has_any`, and lists are sorted (F6).

    >>> normal_elements(Operator.HAS, 1.0), normal_elements(Operator.HAS_NONE, ["b", "a", "b"])
    ((<Operator.HAS_ANY: 'has_any'>, [1]), (<Operator.HAS_NONE: 'has_none'>, ['a', 'b']))
    """
    elements = constant if TAKES_LIST[op] else [constant]
    return _OF_LISTS.get(op, op), canonical_list(elements)


_OF_LISTS: dict[Operator, Operator] = {Operator.HAS: Operator.HAS_ANY}
_RANKS = {op: number for number, op in enumerate(Operator)}


@dataclass(frozen=True, slots=True)
class Const:
    """A tree that is true for every row, or for none."""

    value: bool

    @property
    def rank(self) -> tuple[object, ...]:
        """The sort key among the children of one node."""
        return (2, self.value)


TRUE, FALSE = Const(True), Const(False)


@dataclass(frozen=True, eq=False)
class TreeComparison:
    """An attribute compared with a constant.

    Two comparisons are equal if their keys and operators are equal, and their constants are the same by rule C3. So
    `eq 1` equals `eq 1.0`.
    """

    key: str
    op: Operator
    value: Json

    @classmethod
    def normal(cls, key: str, op: Operator, value: Json) -> "TreeComparison":
        """Returns the canonical form of a comparison: `in` with one constant becomes `eq`, and lists are sorted (C5).

        >>> TreeComparison.normal("k", Operator.IN, ["b", "a", "b"]).value
        ['a', 'b']
        >>> TreeComparison.normal("k", Operator.NIN, [1.0]).op
        <Operator.NE: 'ne'>
        """
        if OF_ELEMENTS[op]:
            return cls(key, *normal_elements(op, value))
        if TAKES_LIST[op]:
            constants = canonical_list(value)
            if len(constants) != 1:
                return cls(key, op, constants)
            op, value = _SINGLE_VALUE[op], constants[0]
        return cls(key, op, canonical_constant(value))

    @cached_property
    def rank(self) -> tuple[object, ...]:
        """The sort key among the children of one node."""
        return (0, self.key, _RANKS[self.op], canonical_key(self.value))

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, TreeComparison) and self.rank == other.rank)

    def __hash__(self) -> int:
        return hash(self.rank)


@dataclass(frozen=True)
class _Connective(Generic[Leaf]):
    """An And or an Or. `identity` is the constant that can be removed from the children."""

    children: "tuple[Tree[Leaf], ...]"
    identity: ClassVar[Const]

    @cached_property
    def leaf_count(self) -> int:
        """The number of leaves."""
        return sum(map(leaf_count, self.children))

    @cached_property
    def rank(self: "_Connective[TreeComparison]") -> tuple[object, ...]:
        """The sort key among the children of one node."""
        return (1, len(self.children), *(child.rank for child in self.children))


@dataclass(frozen=True)
class And(_Connective[Leaf]):
    """A tree that is true where every child is true."""

    identity = TRUE

    @cached_property
    def complement(self) -> "Or[Leaf]":
        """The negation. PERF: each tree keeps its negation, because trees are negated often while they grow."""
        found: Or[Leaf] = Or(tuple(complement(child) for child in self.children))
        found.__dict__["complement"] = self
        return found


@dataclass(frozen=True)
class Or(_Connective[Leaf]):
    """A tree that is true where at least one child is true."""

    identity = FALSE

    @cached_property
    def complement(self) -> "And[Leaf]":
        """The negation. PERF: see `And`."""
        found: And[Leaf] = And(tuple(complement(child) for child in self.children))
        found.__dict__["complement"] = self
        return found


@dataclass(frozen=True, slots=True)
class Not(Generic[Leaf]):
    """A tree that is true where the child is not true. So it is also true where an attribute is missing (F5)."""

    child: "Tree[Leaf]"

    @property
    def rank(self: "Not[TreeComparison]") -> tuple[object, ...]:
        """The sort key among the children of one node: right after its child."""
        return (*self.child.rank, True)


Tree: TypeAlias = Const | Leaf | And[Leaf] | Or[Leaf] | Not[Leaf]
FilterTree: TypeAlias = Tree[TreeComparison]


def leaves(tree: Tree[Leaf]) -> Iterator[Leaf]:
    """Yields the leaves of a tree, in order."""
    match tree:
        case Const():
            pass
        case And(children) | Or(children):
            for child in children:
                yield from leaves(child)
        case Not(child):
            yield from leaves(child)
        case _:
            yield tree


def with_leaves(tree: FilterTree, changed: Callable[[TreeComparison], TreeComparison]) -> FilterTree:
    """Returns a filter with each comparison replaced by what `changed` returns for it. Constants and the form stay.

    >>> with_leaves(Not(TreeComparison("a", Operator.EQ, 1)), lambda leaf: TreeComparison("b", leaf.op, 2))
    Not(child=TreeComparison(key='b', op=<Operator.EQ: 'eq'>, value=2))
    """
    match tree:
        case Const():
            return tree
        case And(children):
            return And(tuple(with_leaves(child, changed) for child in children))
        case Or(children):
            return Or(tuple(with_leaves(child, changed) for child in children))
        case Not(child):
            return Not(with_leaves(child, changed))
        case _:
            return changed(tree)


def leaf_count(tree: Tree[Leaf]) -> int:
    """Returns the number of leaves of a tree."""
    match tree:
        case And() | Or():
            return tree.leaf_count
        case Not(child):
            return leaf_count(child)
        case Const():
            return 0
        case _:
            return 1


def complement(tree: Tree[Leaf]) -> Tree[Leaf]:
    """Returns the negation of a tree, with `Not` only at the leaves (negation normal form).

    >>> one, other = TreeComparison("a", Operator.EQ, 1), TreeComparison("b", Operator.EQ, 2)
    >>> complement(And((one, Not(other)))) == Or((Not(one), other))
    True
    """
    match tree:
        case And() | Or():
            return tree.complement
        case Not(child):
            return child
        case Const(value):
            return FALSE if value else TRUE
        case _:
            return Not(tree)


def fold_and(trees: Iterable[Tree[Leaf]]) -> Tree[Leaf]:
    """Returns the conjunction with constants folded. The other children stay as they are.

    >>> fold_and([TRUE, TreeComparison("a", Operator.EQ, 1)])
    TreeComparison(key='a', op=<Operator.EQ: 'eq'>, value=1)
    """
    return _folded(And, trees)


def fold_or(trees: Iterable[Tree[Leaf]]) -> Tree[Leaf]:
    """Returns the disjunction with constants folded. The other children stay as they are."""
    return _folded(Or, trees)


def fold_not(tree: Tree[Leaf]) -> Tree[Leaf]:
    """Returns the negation. The negation of a constant is a constant."""
    return complement(tree) if isinstance(tree, Const) else Not(tree)


def _folded(connective: type[And[Leaf]] | type[Or[Leaf]], trees: Iterable[Tree[Leaf]]) -> Tree[Leaf]:
    children: list[Tree[Leaf]] = []
    for tree in trees:
        if not isinstance(tree, Const):
            children.append(tree)
        elif tree != connective.identity:
            return tree
    if len(children) > 1:
        return connective(tuple(children))
    return children[0] if children else connective.identity
