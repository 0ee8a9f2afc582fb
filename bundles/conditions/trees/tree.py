"""Forms: conditions on attributes as trees in negation normal form, and their one tidy shape (rule F6)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Literal, TypeAlias

from ..constants import Meaning, in_order, meaning, weight, written
from ..operators import TAKES_LIST, Operator
from ..values import Json

Connective: TypeAlias = Literal["and", "or"]

OTHER: dict[Connective, Connective] = {"and": "or", "or": "and"}

_OF_ONE: dict[Operator, Operator] = {Operator.IN: Operator.EQ, Operator.NIN: Operator.NE}
"""What means the same as an operator of lists where the list has one constant."""

_PLACES = {op: place for place, op in enumerate(Operator)}


@dataclass(frozen=True)
class Compared:
    """One attribute compared with a constant, or the plain negation of that, which is true where it is absent (F5)."""

    key: str
    op: Operator
    value: Json = field(compare=False)
    holds: bool = True
    meant: Meaning = ()

    @property
    def size(self) -> int:
        """How many comparisons it has."""
        return 1

    @property
    def constants(self) -> int:
        """Of how many values what it compares with is made."""
        return weight(self.value)

    @cached_property
    def rank(self) -> tuple[object, ...]:
        """Its place among the children of one node."""
        return (0, self.key, _PLACES[self.op], self.meant, not self.holds)


@dataclass(frozen=True)
class Joined:
    """Forms of which all hold (`and`) or some does (`or`); with no children it is a constant."""

    operator: Connective
    children: tuple["Form", ...]

    @cached_property
    def size(self) -> int:
        """How many comparisons it has."""
        return sum(child.size for child in self.children)

    @property
    def constants(self) -> int:
        """Of how many values what it compares with is made."""
        return sum(child.constants for child in self.children)

    @cached_property
    def opposite(self) -> "Joined":
        """Its negation. PERF: each is the other's, since forms are negated again and again as they grow."""
        found = Joined(OTHER[self.operator], tuple(map(negated, self.children)))
        found.__dict__["opposite"] = self
        return found

    @cached_property
    def rank(self) -> tuple[object, ...]:
        """Its place among the children of one node."""
        return (1, len(self.children), *(child.rank for child in self.children))


Form: TypeAlias = Compared | Joined

TRUE, FALSE = Joined("and", ()), Joined("or", ())


def compared(key: str, op: Operator, value: Json) -> Compared:
    """A comparison, written in one way: `in` with one constant is `eq`, its constants are in order (C5).

    >>> compared("k", Operator.IN, ["b", "a", "b"]).value, compared("k", Operator.NIN, [1.0]).op
    (['a', 'b'], <Operator.NE: 'ne'>)
    """
    if TAKES_LIST[op]:
        constants = in_order(value)
        if len(constants) != 1:
            return Compared(key, op, constants, meant=meaning(constants))
        op, value = _OF_ONE[op], constants[0]
    return Compared(key, op, written(value), meant=meaning(value))


def negated(form: Form) -> Form:
    """The plain negation, pushed down to the comparisons."""
    if isinstance(form, Compared):
        return Compared(form.key, form.op, form.value, not form.holds, form.meant)
    return form.opposite


def joined(operator: Connective, forms: Iterable[Form]) -> Form:
    """Forms joined: flat, each child once, in order, no constant among them and no node of one child.

    >>> joined("or", [FALSE, joined("or", [compared("b", Operator.EQ, 1)]), TRUE]) == TRUE
    True
    """
    children: dict[Form, None] = {}
    for form in chain.from_iterable(_parts(operator, form) for form in forms):
        if form == Joined(OTHER[operator], ()):
            return form
        children[form] = None
    if len(children) == 1:
        return next(iter(children))
    return Joined(operator, tuple(sorted(children, key=lambda child: child.rank)))


def rough(operator: Connective, forms: Sequence[Form]) -> Form:
    """Forms joined as they stand, but for constants, to be tidied later.

    PERF: of many forms that are tried for one condition a single one is taken.
    """
    absorbing = Joined(OTHER[operator], ())
    children = [form for form in forms if not (isinstance(form, Joined) and not form.children)]
    if absorbing in forms:
        return absorbing
    return children[0] if len(children) == 1 else Joined(operator, tuple(children))


def tidied(form: Form) -> Form:
    """A form in the shape that `joined` gives."""
    return form if isinstance(form, Compared) else joined(form.operator, map(tidied, form.children))


def _parts(operator: Connective, form: Form) -> Iterator[Form]:
    if isinstance(form, Joined) and form.operator == operator:
        yield from form.children
    else:
        yield form
