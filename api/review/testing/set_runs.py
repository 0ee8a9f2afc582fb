"""Runs stored tests on a model, within a time."""

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from typing import Final, NamedTuple

from ....compiler.checks.draft import Suggestions
from .file_reading import ReadTest
from .outcome_report import FailureRoom, SetOutcome, TestOutcome, not_runnable
from .question_checks import MOST_SEARCHES
from .refused_requests import refused_requests
from .running import run_test
from .stored import read_stored
from .tested_model import TestedModel
from .undeclared import ModelDeclarations, undeclared

RUN_SECONDS: Final = 10.0
"""The time of a run. Tests that would begin later are not run."""


MOST_PROBLEMS: Final = 10
"""The problems of a test that a report lists. Further ones are not looked for."""


def run_sets(texts: Iterable[bytes], model: TestedModel, is_left: Callable[[], bool]) -> tuple[SetOutcome, ...]:
    """Returns the outcomes of stored sets, in JSON, on a model. Once `is_left` returns true, no further test is run.

    Raises BundleError for a damaged model.
    """
    deadline, room = time.monotonic() + RUN_SECONDS, FailureRoom()
    declared = replace(model.declared, suggest=Suggestions(MOST_SEARCHES))
    return tuple(_run(*read_stored(text), _Run(model, declared, deadline, room, is_left)) for text in texts)


class _Run(NamedTuple):
    """A run: the model, what it declares, the instant of the monotonic clock at which it ends, its room, and whether
    its caller is gone.
    """

    model: TestedModel
    declared: ModelDeclarations
    deadline: float
    room: FailureRoom
    is_left: Callable[[], bool]

    def is_over(self) -> bool:
        """Returns whether its time has passed, or its caller is gone."""
        return time.monotonic() > self.deadline or self.is_left()


def _run(id: str, tests: tuple[ReadTest, ...], run: _Run) -> SetOutcome:
    found: list[TestOutcome] = []
    for test in tests:
        if run.is_over():
            break
        problems = tuple(islice(undeclared(test, run.declared), MOST_PROBLEMS))
        problems = problems or tuple(islice(refused_requests(test, run.model), MOST_PROBLEMS))
        found.append(not_runnable(test.name, problems) if problems else run.room.outcome(run_test(test, run.model)))
    passed = sum(one.passed for one in found)
    return SetOutcome(id, passed, len(found) - passed, len(tests) - len(found), tuple(found))
