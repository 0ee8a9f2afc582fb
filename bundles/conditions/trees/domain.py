"""The domain of one attribute, partitioned into the classes of values that tests distinguish (rules C2 to C6, X6).

Conditions compare attributes with constants only, so there are finitely many classes: the constants, the gaps between
ordered constants, the other types, and the missing attribute. Classes for which every test has the same result form one
cell. In the gaps between strings, patterns are open: in each gap, a pattern may match or not. So are tests of elements
in the class of arrays that no constant equals. Both are called opaque tests.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from ..comparisons import constants_of, predicate
from ..constants import CanonicalKey, canonical_key
from ..neighbours import Ordered, next_value
from ..operators import OF_ELEMENTS, Operator
from ..patterns import pattern_predicate
from ..values import Json, is_number
from .tree import normal_elements

Test: TypeAlias = tuple[Operator, Json]
"""An operator and its constant, as in `(Operator.GTE, 3)`."""

NULLS = 4
"""Up to this many U+0000 are removed from the end of a string, to find the strings before it; see `_before`."""

ClassTests: TypeAlias = tuple[int, bool]
"""The tests that hold in a class, as bits, and whether opaque tests are open there."""

NO_VALUES = -1
"""The cell of a gap without values."""

_REGEX: Final = Operator.REGEX
"""PERF: Python 3.11 takes 0.1 µs to look up a member of a closed set."""

MISSING, OTHER = 0, 1
"""The first two classes: a missing attribute, and an array or an object that no constant equals."""


@dataclass(frozen=True, slots=True)
class Domain:
    """The partition of a domain by `tests`.

    Classes are numbered in this order: MISSING, OTHER, the `points` (booleans, arrays, objects), then gap, number, gap,
    number, …, gap, then the same for strings.

    - `cells`: the cell of each class.
    - `holding`: the tests that hold in each cell, as bits.
    - `open`: for each cell, whether opaque tests are open there: patterns in gaps between strings, tests of elements in
      OTHER. Then their bits only say that they may hold.
    - `between`: if there are patterns, each string has a separate cell. For each of these cells, it has the cells of
      the nearest gaps below and above, or None if there is no such gap.
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
    """Returns whether some value of one attribute passes all `tests`.

    The answer is exact if no test is opaque. Otherwise, a no is certain, but a yes may be wrong: it assumes that a
    pattern can match in the gaps between the constants, and that some array has any elements and lacks them.

    >>> is_satisfiable([(Operator.EQ, "a"), (Operator.NE, "a")])
    False
    >>> is_satisfiable([(Operator.GT, 1), (Operator.LT, 2)])
    True
    """
    everything = (1 << len(tests)) - 1
    return any(answer is not None and answer[0] == everything for answer in _Classes(tests).answers())


def passes_all(narrow: Sequence[Test], wide: Sequence[Test]) -> bool:
    """Returns whether each value of one attribute that passes the tests `narrow` passes all of `wide`.

    The answer is exact if no test is opaque. Otherwise, a yes is certain, but a no may be wrong: it assumes that in
    the gaps between the constants, an opaque test can hold or not, whatever others do.

    >>> passes_all([(Operator.GT, 5)], [(Operator.GTE, 5)]), passes_all([(Operator.NE, 5)], [(Operator.GT, 5)])
    (True, False)
    """
    tests = [*narrow, *wide]
    needed, everything = (1 << len(narrow)) - 1, (1 << len(tests)) - 1
    known = {meant_by(*test) for test in narrow if is_opaque(*test)}
    unknown = any(is_opaque(*test) and meant_by(*test) not in known for test in wide)
    return all(
        answer is None or answer[0] & needed != needed or (answer[0] == everything and not (answer[1] and unknown))
        for answer in _Classes(tests).answers()
    )


def partition(tests: Sequence[Test]) -> Domain:
    """Returns the partition of an attribute's domain by `tests`."""
    classes = _Classes(tests)
    answers = list(classes.answers())
    first_string = len(answers) - 2 * len(classes.strings) - 1
    numbered: dict[tuple[bytes, bool, int], int] = {}
    cells, width = [NO_VALUES] * len(answers), len(tests) // 8 + 1
    for place, answer in enumerate(answers):
        if answer is not None:
            alone = place if classes.patterns and place > first_string and (place - first_string) % 2 else 0
            # PERF: as bytes, since powers of two have only 61 different hashes as integers.
            named = answer[0].to_bytes(width, "little"), answer[1], alone
            cells[place] = numbered.setdefault(named, len(numbered))
    holding, patterns_open, _ = zip(*numbered, strict=True)
    between = _between(cells[first_string:]) if classes.patterns else {}
    parts = classes.points, classes.numbers, classes.strings
    bits = tuple(int.from_bytes(tests_there, "little") for tests_there in holding)
    return Domain(tuple(tests), *parts, tuple(cells), bits, patterns_open, between)


def _between(strings: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
    """Returns, for the cell of each string, the cells of the nearest gaps with values below and above it."""
    found: dict[int, tuple[int | None, int | None]] = {}
    for place in range(1, len(strings), 2):
        below = (cell for cell in reversed(strings[0:place:2]) if cell != NO_VALUES)
        above = (cell for cell in strings[place + 1 :: 2] if cell != NO_VALUES)
        found[strings[place]] = next(below, None), next(above, None)
    return found


def _before(text: str) -> list[str]:
    """Returns the strings directly before `text`.

    If they were no constants, a cut between strings on which all patterns agree could be missed.
    """
    return [text[:-end] for end in range(1, NULLS + 1) if text.endswith("\0" * end)]


def compared_with(test: Test) -> Iterable[Json]:
    """Returns the single values that a test compares with. An opaque test has none."""
    op, constant = test
    return () if op == _REGEX or OF_ELEMENTS[op] else constants_of(op, constant)


def patterns_of(tests: Iterable[Test]) -> list[tuple[int, str]]:
    """Returns the patterns that tests search for, each with the number of its test."""
    return [(number, constant) for number, (op, constant) in enumerate(tests) if op == _REGEX]


def is_opaque(op: Operator, constant: Json) -> bool:
    """Returns whether a test is decided on constants only: a pattern, or a test of elements (F6)."""
    return op == _REGEX or (OF_ELEMENTS[op] and not _is_never(op, constant))


def opaque_of(tests: Iterable[Test]) -> list[tuple[int, CanonicalKey]]:
    """Returns the numbers of the opaque tests, each with its sort key: patterns first."""
    return [
        (number, (op != _REGEX, str(op), canonical_key(constant)))
        for number, (op, constant) in enumerate(tests)
        if is_opaque(op, constant)
    ]


def normal_test(op: Operator, constant: Json) -> Test:
    """Returns a test of elements in its canonical form (F6), and any other as it is."""
    return normal_elements(op, constant) if OF_ELEMENTS[op] else (op, constant)


def meant_by(op: Operator, constant: Json) -> CanonicalKey:
    """Returns a key that is equal for equal tests."""
    op, constant = normal_test(op, constant)
    return (op, canonical_key(constant))


def _is_never(op: Operator, constant: Json) -> bool:
    """Returns whether a test of elements holds for no array: `has_any []` (X6)."""
    return op == Operator.HAS_ANY and constant == []


class _Holds(NamedTuple):
    """The values for which a comparison holds. At its constants, an unordered comparison has the opposite result."""

    present: bool = False
    """True if it holds for present values in general."""
    below: bool = False
    """True if it holds below its constant."""
    flips_at: bool | None = None
    """For an ordered comparison: true if its result changes at the constant, false if it changes above it.

    None for an unordered comparison.
    """


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
    Operator.HAS: _Holds(),
    Operator.HAS_ANY: _Holds(),
    Operator.HAS_NONE: _Holds(),
}
"""The values for which each operator holds. An opaque test is not described: it is tried on the other constants."""


class _Classes:
    """The classes that some tests distinguish, and the tests that hold in each."""

    def __init__(self, tests: Sequence[Test]):
        constants = [constant for test in tests for constant in compared_with(test)]
        others = {canonical_key(c): c for c in (False, True, *constants) if isinstance(c, bool | list | dict)}
        self.points = tuple(others[key] for key in sorted(others))
        self.numbers = tuple(sorted({c for c in constants if is_number(c)}))
        self.patterns = {1 << number: pattern_predicate(pattern) for number, pattern in patterns_of(tests)}
        self._of_elements = {
            1 << number: predicate(op, constant)
            for number, (op, constant) in enumerate(tests)
            if op != _REGEX and is_opaque(op, constant)
        }
        texts = {c for c in constants if isinstance(c, str)}
        self.strings = tuple(sorted(texts.union(*map(_before, texts)) if self.patterns else texts))
        self._present = 0  # the tests that hold for a present value that no constant names
        self._below = {False: 0, True: 0}  # ordered tests that hold below all constants: of strings (True), of numbers
        self._flips: dict[CanonicalKey, int] = {}  # unordered tests with the opposite result at a constant
        self._passed: dict[CanonicalKey, tuple[int, int]] = {}  # ordered tests that change at a constant, and above it
        for number, test in enumerate(tests):
            self._add(1 << number, *test)

    def answers(self) -> Iterator[ClassTests | None]:
        """Yields the tests that hold in each class, in order, or None for a gap without values."""
        yield 0, False
        yield self._present | sum(self._of_elements), bool(self._of_elements)
        for point in self.points:
            holding = sum(bit for bit, holds in self._of_elements.items() if holds(point))
            yield self._at(point, holding), False
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
        """Returns the tests that hold at a value. `ordered` has the tests by order and the opaque ones among them."""
        return (self._present | ordered) ^ self._flips.get(canonical_key(constant), 0)

    def _along(self, constants: Sequence[Ordered], text: bool) -> Iterator[ClassTests | None]:
        """Yields the tests of the gap below the first constant, the first constant, the gap above it, and so on."""
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
