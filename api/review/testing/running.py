"""Runs a test: asks each of its questions, compares the answers, and has failures explained."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from .comparing import Mismatch, mismatches
from .coverage import Coverage
from .file_reading import ReadTest, TestQuestion
from .tested_model import TestedModel

MOST_FAILURES: Final = 10
"""The failed requests of one table that are shown."""

_EXPLAIN: Final = {"explain": True}


class Failure(NamedTuple):
    """An answer that is not as expected, and why it is what it is: lines of prose, none for a search."""

    question: TestQuestion
    mismatches: tuple[Mismatch, ...]
    answer: dict[str, Any]
    proof: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TestResult:
    """The outcome of a test. It passed without failures; `more` failures are not listed. It took `seconds`."""

    test: ReadTest
    failures: tuple[Failure, ...]
    more: int
    seconds: float

    @property
    def passed(self) -> bool:
        """True if all answers were as expected."""
        return not self.failures and not self.more


Prove: TypeAlias = Callable[[TestedModel, TestQuestion], Iterable[str]]
"""Returns lines that explain the answer to a question."""


def unproved(_model: TestedModel, _asked: TestQuestion) -> Iterable[str]:
    """Explains nothing."""
    return ()


def run_test(
    test: ReadTest,
    model: TestedModel,
    coverage: Coverage | None = None,
    prove: Prove = unproved,
    most_failures: int = MOST_FAILURES,
) -> TestResult:
    """Returns the result of a test without faults. `coverage` takes note of what it tried, `prove` explains failures.

    Raises what `TestedModel.search` raises.
    """
    began = time.perf_counter()
    failures: list[Failure] = []
    failed = 0
    for asked in test.questions:
        answer = _answer(asked, model, coverage)
        wrong = tuple(mismatches(asked.expected, answer))
        if wrong:
            failed += 1
            if failed <= most_failures:
                failures.append(Failure(asked, wrong, answer, tuple(prove(model, asked))))
    return TestResult(test, tuple(failures), failed - len(failures), time.perf_counter() - began)


def explaining(request: dict[str, Any]) -> dict[str, Any]:
    """Returns a request that asks for an explanation too."""
    return {**request, "options": {**(request.get("options") or {}), **_EXPLAIN}}


def _answer(asked: TestQuestion, model: TestedModel, coverage: Coverage | None) -> dict[str, Any]:
    if asked.is_search:
        return model.search(asked.request, asked.now, "results" in asked.expected)
    if coverage is None:
        return model.decide(asked.request, asked.now)
    answer = model.decide(explaining(asked.request), asked.now)
    coverage.note(asked.request, answer)
    return answer
