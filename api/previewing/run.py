"""Runs stored tests on a model, within a time."""

import time
from collections.abc import Iterable
from typing import Final

from ..testing.reading import ReadTest
from ..testing.running import run_test
from ..testing.stored import read_stored
from ..testing.tested_model import TestedModel
from ..testing.undeclared import undeclared
from .report import FailureRoom, SetOutcome, TestOutcome, not_runnable

RUN_SECONDS: Final = 10.0
"""The time of a run. Tests that would begin later are not run."""


def run_sets(texts: Iterable[bytes], model: TestedModel) -> tuple[SetOutcome, ...]:
    """Returns the outcomes of stored sets, in JSON, on a model. Raises BundleError for a damaged one."""
    deadline, room = time.monotonic() + RUN_SECONDS, FailureRoom()
    return tuple(_run(*read_stored(text), model, deadline, room) for text in texts)


def _run(id: str, tests: tuple[ReadTest, ...], model: TestedModel, deadline: float, room: FailureRoom) -> SetOutcome:
    found: list[TestOutcome] = []
    for test in tests:
        if time.monotonic() > deadline:
            break
        problems = tuple(undeclared(test, model.declared))
        found.append(not_runnable(test.name, problems) if problems else room.outcome(run_test(test, model)))
    passed = sum(one.passed for one in found)
    return SetOutcome(id, passed, len(found) - passed, len(tests) - len(found), tuple(found))
