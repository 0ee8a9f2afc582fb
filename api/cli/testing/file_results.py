"""The results of a file of tests, each with its proof in prose."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...review.testing.coverage import Coverage
from ...review.testing.file_reading import ReadFile, TestQuestion
from ...review.testing.running import TestResult, explaining, run_test
from ...review.testing.tested_model import TestedModel
from ...review.wording.prose import explained, question


@dataclass(frozen=True, slots=True)
class FileResult:
    """The outcome of a file: the results of its tests, or the faults of the file or of its model, as text."""

    file: ReadFile
    tests: tuple[TestResult, ...] = ()
    problem: str = ""

    @property
    def name(self) -> str:
        """The path of the file."""
        return self.file.source.name

    @property
    def failed(self) -> int:
        """The number of failed tests. A file that can't be run counts as one."""
        return sum(not test.passed for test in self.tests) + bool(self.problem)

    def place(self, result: TestResult) -> str:
        """Returns the file of a test, with line and column."""
        line, column = self.file.place(result.test)
        return f"{self.name}:{line}:{column}"


def run_file(file: ReadFile, model: TestedModel, coverage: Coverage | None) -> FileResult:
    """Returns the results of the tests of a file without faults. `coverage` takes note of what they tried.

    Raises what `TestedModel.search` raises.
    """
    return FileResult(file, tuple(run_test(test, model, coverage, proof) for test in file.tests))


def proof(model: TestedModel, asked: TestQuestion) -> Iterator[str]:
    """Yields the proof of an answer. That of a search has none."""
    if not asked.is_search:
        yield question(asked.request)
        yield from explained(model.decide(explaining(asked.request), asked.now))
