"""The domain of one attribute, divided into the classes that some tests on it tell apart (rules C2 to C6).

Conditions compare attributes with constants only, so there are finitely many classes: the constants, the gaps between
ordered ones, the other types, missing. Those on which every test gives the same answer are one cell. In the gaps
between strings a pattern is open: it is taken to match there or not, whatever the gap.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from ..comparisons import constants_of
from ..constants import CanonicalKey, canonical_key
from ..neighbours import Ordered, next_value
from ..operators import Operator
from ..patterns import compile_pattern
from ..values import Json, is_number

Test: TypeAlias = tuple[Operator, Json]
"""An operator and its constant, as in `(Operator.GTE, 3)`."""

NULLS = 4
"""So many U+0000 at the end of a string are looked behind."""

ClassTests: TypeAlias = tuple[int, bool]
"""What is known of a class: the tests that hold there, as bits, and whether patterns are open."""

NO_VALUES = -1
"""The cell of a gap with nothing in it."""

_REGEX: Final = Operator.REGEX
"""PERF: Python 3.11 takes 0.1 µs to look up a member of a closed set."""

MISSING, OTHER = 0, 1
"""The first two classes: absent, and present but nothing that a constant names."""


@dataclass(frozen=True, slots=True)
class Domain:
    """Classes are numbered: MISSING, OTHER, the `points` (flags, arrays, objects), then gap, number, gap, number, …,
    gap, and strings likewise. `cells` gives the cell of each class, `holding` by cell the tests that hold there, as
    bits; an `open` cell is one of gaps, where the bits of patterns only say that they may match. Where there are
    patterns, each string is a cell of its own, and `between` gives the cells of the nearest gaps below and above it.
    """

    tests: tuple[Test, ...]
    points: tuple[Json, ...]
    numbers: tuple[int | float, ...]
    strings: tuple[str, ...]
    cells: tuple[int, ...]
    holding: tuple[int, ...]
    open: tuple[bool, ...]
    between: dict[int, tuple[int | None, int | None]]

    @property
    def first_number(self) -> int:
        """The class of the gap below all numbers."""
        return 2 + len(self.points)

    @property
    def first_string(self) -> int:
        """The class of the gap below all strings."""
        return self.first_number + 2 * len(self.numbers) + 1


def is_satisfiable(tests: Sequence[Test]) -> bool:
    """Whether some value of one attribute passes all `tests`.

    Exact but for `regex`, which is decided on the constants and taken to be able to match in the gaps: the answer
    may then be a needless yes, never a wrong no.

    >>> is_satisfiable([(Operator.EQ, "a"), (Operator.NE, "a")])
    False
    >>> is_satisfiable([(Operator.GT, 1), (Operator.LT, 2)])
    True
    """
    everything = (1 << len(tests)) - 1
    return any(answer is not None and answer[0] == everything for answer in _Classes(tests).answers())


def partition(tests: Sequence[Test]) -> Domain:
    """The domain of an attribute on which `tests` are made."""
    classes = _Classes(tests)
    answers = list(classes.answers())
    first_string = len(answers) - 2 * len(classes.strings) - 1
    numbered: dict[tuple[bytes, bool, int], int] = {}
    cells, width = [NO_VALUES] * len(answers), len(tests) // 8 + 1
    for place, answer in enumerate(answers):
        if answer is not None:
            alone = place if classes.patterns and place > first_string and (place - first_string) % 2 else 0
            # PERF: as bytes, since the hashes of integers that are powers of two are 61 in all.
            named = answer[0].to_bytes(width, "little"), answer[1], alone
            cells[place] = numbered.setdefault(named, len(numbered))
    holding, patterns_open, _ = zip(*numbered, strict=True)
    between = _between(cells[first_string:]) if classes.patterns else {}
    parts = classes.points, classes.numbers, classes.strings
    bits = tuple(int.from_bytes(tests_there, "little") for tests_there in holding)
    return Domain(tuple(tests), *parts, tuple(cells), bits, patterns_open, between)


def _between(strings: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
    """For the cell of each string, those of the nearest gaps with values below and above it."""
    found: dict[int, tuple[int | None, int | None]] = {}
    for place in range(1, len(strings), 2):
        below = (cell for cell in reversed(strings[0:place:2]) if cell != NO_VALUES)
        above = (cell for cell in strings[place + 1 :: 2] if cell != NO_VALUES)
        found[strings[place]] = next(below, None), next(above, None)
    return found


def _before(text: str) -> list[str]:
    """The strings right before one. Where a cut lies among strings that patterns decide alike, none must be missed."""
    return [text[:-end] for end in range(1, NULLS + 1) if text.endswith("\0" * end)]


def compared_with(test: Test) -> Iterable[Json]:
    """Every single value that a test compares with, none for a pattern."""
    op, constant = test
    return () if op == _REGEX else constants_of(op, constant)


def patterns_of(tests: Iterable[Test]) -> list[tuple[int, str]]:
    """Returns the patterns that tests search for, each with the number of its test."""
    return [(number, constant) for number, (op, constant) in enumerate(tests) if op == _REGEX]


class _Holds(NamedTuple):
    """Where a comparison holds. One that does not go by order holds otherwise at its constants."""

    present: bool = False
    """It holds for every value that is present."""
    below: bool = False
    """It holds below its constant."""
    flips_at: bool | None = None
    """It changes at its constant, or if False, above it. None if it does not go by order."""


_HOLDS: dict[Operator, _Holds] = {
    Operator.EQ: _Holds(),
    Operator.NE: _Holds(present=True),
    Operator.GT: _Holds(flips_at=False),
    Operator.GTE: _Holds(flips_at=True),
    Operator.LT: _Holds(below=True, flips_at=True),
    Operator.LTE: _Holds(below=True, flips_at=False),
    Operator.IN: _Holds(),
    Operator.NIN: _Holds(present=True),
    Operator.REGEX: _Holds(),
}
"""What is known of each operator. For a pattern nothing is: it is searched for in the constants of the others."""


class _Classes:
    """The classes that some tests tell apart, and which of the tests hold on each."""

    def __init__(self, tests: Sequence[Test]):
        constants = [constant for test in tests for constant in compared_with(test)]
        others = {canonical_key(c): c for c in (False, True, *constants) if isinstance(c, bool | list | dict)}
        self.points = tuple(others[key] for key in sorted(others))
        self.numbers = tuple(sorted({c for c in constants if is_number(c)}))
        self.patterns = {1 << number: compile_pattern(pattern) for number, pattern in patterns_of(tests)}
        texts = {c for c in constants if isinstance(c, str)}
        self.strings = tuple(sorted(texts.union(*map(_before, texts)) if self.patterns else texts))
        self._present = 0  # what holds of everything that is there and not named
        self._below = {False: 0, True: 0}  # of every string (True) or number that is below all constants
        self._flips: dict[CanonicalKey, int] = {}  # what is otherwise at a constant
        self._passed: dict[CanonicalKey, tuple[int, int]] = {}  # what flips at a constant, and what above it
        for number, test in enumerate(tests):
            self._add(1 << number, *test)

    def answers(self) -> Iterator[ClassTests | None]:
        """For each class, in order, what is known of it; None for a gap with no values."""
        yield 0, False
        yield self._present, False
        yield from ((self._at(point), False) for point in self.points)
        yield from self._along(self.numbers, text=False)
        yield from self._along(self.strings, text=True)

    def _add(self, bit: int, op: Operator, constant: Json) -> None:
        holds = _HOLDS[op]
        if holds.present:
            self._present |= bit
        if holds.flips_at is not None:
            self._pass(bit, constant, holds.below, holds.flips_at)
        else:
            for value in {canonical_key(c) for c in compared_with((op, constant))}:
                self._flips[value] = self._flips.get(value, 0) | bit

    def _pass(self, bit: int, constant: Json, below: bool, flips_at: bool) -> None:
        if below:
            self._below[isinstance(constant, str)] |= bit
        at, above = self._passed.get(canonical_key(constant), (0, 0))
        self._passed[canonical_key(constant)] = (at | bit, above) if flips_at else (at, above | bit)

    def _at(self, constant: Json, ordered: int = 0) -> int:
        """At one value; `ordered` are the comparisons by order that hold there."""
        return (self._present | ordered) ^ self._flips.get(canonical_key(constant), 0)

    def _along(self, constants: Sequence[Ordered], text: bool) -> Iterator[ClassTests | None]:
        """On the gap below the first constant, the first constant, the gap above it, and so on."""
        ordered = self._below[text]
        maybe = sum(self.patterns) if text else 0
        yield None if "" in constants[:1] else (self._present | ordered | maybe, maybe > 0)
        for number, constant in enumerate(constants):
            at, above = self._passed.get(canonical_key(constant), (0, 0))
            ordered ^= at
            matching = sum(bit for bit, matches in self.patterns.items() if matches(constant))
            yield self._at(constant, ordered | matching), False
            ordered ^= above
            ends = constants[number + 1 : number + 2] == (next_value(constant),)
            yield None if ends else (self._present | ordered | maybe, maybe > 0)
