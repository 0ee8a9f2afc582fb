"""Runs the tests of a file: asks each question, compares the answer, and explains a failure."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ...wording.prose import explained, question
from .comparing import Mismatch, mismatches
from .coverage import Coverage
from .reading import Question, ReadFile, ReadTest
from .tested_model import TestedModel

MOST_FAILURES: Final = 10
"""The failed requests of one table that are shown."""

_EXPLAIN: Final = {"explain": True}


class Failure(NamedTuple):
    """An answer that is not as expected, and why it is what it is: lines of prose, none for a search."""

    question: Question
    mismatches: tuple[Mismatch, ...]
    proof: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TestResult:
    """What became of a test. It passed without failures; `more` failures are not listed. It took `seconds`."""

    file: ReadFile
    test: ReadTest
    failures: tuple[Failure, ...]
    more: int
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether all answers were as expected."""
        return not self.failures

    @property
    def place(self) -> str:
        """The file of the test, with line and column."""
        line, column = self.file.place(self.test)
        return f"{self.file.source.name}:{line}:{column}"


@dataclass(frozen=True, slots=True)
class FileResult:
    """What became of a file: the results of its tests, or what is wrong with the file or with its model, as text."""

    name: str
    tests: tuple[TestResult, ...] = ()
    problem: str = ""

    @property
    def failed(self) -> int:
        """The number of failed tests. A file that can't be run counts as one."""
        return sum(not test.passed for test in self.tests) + bool(self.problem)


def run_file(file: ReadFile, model: TestedModel, coverage: Coverage | None) -> FileResult:
    """Returns the results of the tests of a file without faults. `coverage` takes note of what they tried.

    Raises what `TestedModel.search` raises.
    """
    return FileResult(file.source.name, tuple(_run(file, test, model, coverage) for test in file.tests))


def _run(file: ReadFile, test: ReadTest, model: TestedModel, coverage: Coverage | None) -> TestResult:
    began = time.perf_counter()
    failures: list[Failure] = []
    failed = 0
    for asked in test.questions:
        wrong = tuple(mismatches(asked.expected, _answer(asked, model, coverage)))
        if wrong:
            failed += 1
            if failed <= MOST_FAILURES:
                failures.append(Failure(asked, wrong, tuple(_proof(asked, model))))
    return TestResult(file, test, tuple(failures), failed - len(failures), time.perf_counter() - began)


def _answer(asked: Question, model: TestedModel, coverage: Coverage | None) -> dict[str, Any]:
    if asked.is_search:
        return model.search(asked.request, asked.now, "results" in asked.expected)
    if coverage is None:
        return model.decide(asked.request, asked.now)
    answer = model.decide(_explaining(asked.request), asked.now)
    coverage.note(asked.request, answer)
    return answer


def _proof(asked: Question, model: TestedModel) -> Iterator[str]:
    if not asked.is_search:
        yield question(asked.request)
        yield from explained(model.decide(_explaining(asked.request), asked.now))


def _explaining(request: dict[str, Any]) -> dict[str, Any]:
    return {**request, "options": {**(request.get("options") or {}), **_EXPLAIN}}
