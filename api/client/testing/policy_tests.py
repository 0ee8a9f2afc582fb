"""Policy tests as items of pytest: each test of a `*.test.yaml` is one, and fails in the words of `writ test`."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from ..api.cli.testing.file_results import FileResult, proof
from ..api.cli.testing.session import Session
from ..api.cli.testing.source_model import SourceModel
from ..api.cli.testing.text_report import failure_lines
from ..api.review.testing.file_reading import ReadFile, ReadTest
from ..api.review.testing.running import TestResult, run_test
from ..api.review.testing.tested_model import UnusableModel

_SESSION: Final = pytest.StashKey[Session]()
_INDENT: Final = "  "


class _Failed(Exception):
    """A policy test failed, as its result says."""

    def __init__(self, result: TestResult):
        super().__init__(result.test.name)
        self.result = result


class PolicyTestFile(pytest.File):
    """A file of policy tests."""

    def collect(self) -> Iterator["PolicyTest"]:
        """Yields its tests. Raises CollectError with its faults, or with those of its model."""
        session = self.config.stash.setdefault(_SESSION, Session(with_coverage=False))
        try:
            read = session.read_file(Path(os.path.relpath(self.path)))
        except OSError as ex:
            raise self.CollectError(str(ex)) from None
        model = session.opened(read)
        if isinstance(model, FileResult):
            raise self.CollectError(model.problem.rstrip())
        for test in read.tests:
            yield PolicyTest.from_parent(self, name=test.name, file=read, test=test, model=model)


class PolicyTest(pytest.Item):
    """One policy test."""

    def __init__(self, *, file: ReadFile, test: ReadTest, model: SourceModel, **more: Any):
        """`test` is one of those in `file`, and `model` is what it asks."""
        super().__init__(**more)
        self._file, self._test, self._model = file, test, model

    def runtest(self) -> None:
        """Asks its questions. Raises an exception if an answer is not as expected."""
        result = run_test(self._test, self._model, prove=proof)
        if not result.passed:
            raise _Failed(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Returns why it failed, as `writ test` shows it."""
        if isinstance(excinfo.value, _Failed):
            result = excinfo.value.result
            head = f"{result.test.name} ({FileResult(self._file).place(result)})"
            return "\n".join((head, *(f"{_INDENT}{line}" for line in failure_lines(result))))
        if isinstance(excinfo.value, UnusableModel):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Returns its file, its line from zero, and its name."""
        return self.path, self._file.place(self._test).line - 1, self.name
