"""Writes the rules of a plan as one Python function, which calls no test that compares in place.

A test's expression is that of `attributes`, from which its closure was made too. So a condition has one definition.

PERF: a test that is called takes twice as long. Most of the time of decisions about many different things goes into
memory. So the functions are short, and those of equal source are one: the answers are in the plan.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NoReturn, TypeAlias
from weakref import WeakValueDictionary

from .attributes import ARGUMENTS, NO_CLOCK, Test, written

Row: TypeAlias = tuple[Sequence[Test], int]
"""The tests of a rule, and the place of its answer in the plan. A DENY has two: if it overrides, and if it does not."""


class OddValue(Exception):
    """A value has another type than the constant with which a condition compares it."""


class _Odd:
    """An expression for an odd value, which raises. PERF: so it takes the least code."""

    def __bool__(self) -> NoReturn:
        raise OddValue


_NAMES: Final[dict[str, Any]] = {"get": dict.get, "str": str, "int": int, "float": float, "bool": bool, "odd": _Odd()}
"""The names in expressions. PERF: as parameters, since Python reads them with less code than global names."""

_CALLED: Final = f"({ARGUMENTS.replace('now', str(NO_CLOCK))})"
_HEAD: Final = f"""\
def run(plan, t, i, s, n, r, a, c, h, {", ".join(_NAMES)}):
 try:
"""
_END: Final = """
 except OddValue:
  pass
 return plan[-1].carefully(t, i, s, n, r, a, c, h)
"""

_GLOBALS: Final[dict[str, Any]] = {"OddValue": OddValue}

_functions: WeakValueDictionary[str, Callable[..., int]] = WeakValueDictionary()


class WrittenRules:
    """The source of a plan's function while it is written.

    `called` are the tests that the function calls. It finds them in the plan, from the place `first_called` on.
    """

    def __init__(self, first_called: int):
        self.called: list[Test] = []
        self._first = first_called
        self._lines: list[str] = []

    def write(self, guard: Test | None, denies: Sequence[Row], allows: Iterable[Row], last: int, permits: bool) -> None:
        """Writes the rules. `last` is the place of the answer if none holds, which `permits` or does not."""
        if guard is not None:
            self._lines.append(self._call(guard))
        for number, (tests, place) in enumerate(denies):
            self._lines.append(f"{'elif' if number else 'if'} {self._all(tests)}: denial = {place}")
        if denies:
            self._lines.append("else: denial = 0")
        for tests, place in allows:
            self._lines.append(f"if {self._all(tests)}: return {'denial or ' if denies else ''}{place}")
        alone = "denial" if permits else "denial + 1"
        self._lines.append(f"return {alone} if denial else {last}" if denies else f"return {last}")

    def function(self) -> Callable[..., int]:
        """Returns the function, which returns the place of the answer."""
        source = _HEAD + "\n".join(f"  {line}" for line in self._lines) + _END
        found = _functions.get(source)
        if found is None:
            made: dict[str, Any] = {}
            exec(source, _GLOBALS, made)  # noqa: S102 - our own expressions, and constants as literals
            found = _functions[source] = made["run"]
            found.__defaults__ = tuple(_NAMES.values())
        return found

    def _all(self, tests: Sequence[Test]) -> str:
        return " and ".join(map(self._one, tests)) or "True"

    def _one(self, test: Test) -> str:
        expression = written(test, "odd")
        return self._call(test) if expression is None else f"({expression})"

    def _call(self, test: Test) -> str:
        self.called.append(test)
        return f"plan[{self._first + len(self.called) - 1}]{_CALLED}"
