"""The report of stored tests: their outcomes, and what became of each."""

from collections.abc import Iterable
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from ....bundles.wording import show_path
from ....compiler.diagnostics.diagnostic import Finding
from ...http.rejections import Detail
from ..effects import Effect, decision_effect
from .running import Failure, TestResult

MOST_FAILURES: Final = 1_000
"""The failures that a report lists."""

MOST_FAILURE_BYTES: Final = 4 * 1024 * 1024
"""The bytes of the failures that a report lists."""

Count = Annotated[int, Meta(ge=0)]


class MemberMismatch(Struct, frozen=True):
    """A member of an answer that is not as expected. `got` is null if the answer does not have it."""

    member: str
    expected: Any
    got: Any


class TestFailure(Struct, frozen=True):
    """An answer that is not as expected. `label` names the request of a table, as subject, action and resource.

    `reason_code` and `reason` are those of the answer. The code is null for a search.
    """

    label: str | None
    mismatches: tuple[MemberMismatch, ...]
    reason_code: str | None
    reason: str

    @property
    def effect(self) -> Effect:
        """The effect of the answer on a caller, against what the test expects."""
        for wrong in self.mismatches:
            if wrong.member == "decision":
                return decision_effect(wrong.expected, wrong.got)
        return Effect.FILTER if self.reason_code is None else Effect.REASON


class TestOutcome(Struct, frozen=True):
    """The outcome of a test. With `problems`, it was not run: it asks for what the model does not declare.

    `more` failures are not listed.
    """

    name: str
    passed: bool
    problems: tuple[Detail, ...]
    failures: tuple[TestFailure, ...]
    more: Count

    @property
    def effect(self) -> Effect | None:
        """The effect of its failures that a reviewer has to see first, or None if none is listed."""
        return min((one.effect for one in self.failures), key=lambda effect: effect.rank, default=None)

    @property
    def is_decided_wrongly(self) -> bool:
        """True if a decision is not as expected. A failure that is not listed may be one of that kind."""
        return self.more > 0 or self.effect in (Effect.ALLOWED, Effect.DENIED)


class SetOutcome(Struct, frozen=True):
    """The outcomes of a set of tests, by its id. `not_run` tests came after the time of the run had passed."""

    id: str
    passed: Count
    failed: Count
    not_run: Count
    tests: tuple[TestOutcome, ...]


class TestReport(Struct, frozen=True):
    """The outcomes of stored tests on the model of a `revision`, with the changes of the request, if it had any."""

    revision: Count
    passed: Count
    failed: Count
    not_run: Count
    items: tuple[SetOutcome, ...]


class FailureRoom:
    """The room for failures in one report."""

    def __init__(self) -> None:
        self._failures, self._bytes = MOST_FAILURES, MOST_FAILURE_BYTES

    def outcome(self, result: TestResult) -> TestOutcome:
        """Returns the outcome of a test that was run, with the failures for which there is room."""
        shown: list[TestFailure] = []
        for one in map(_failure, result.failures):
            self._failures -= 1
            self._bytes -= len(msgspec.json.encode(one))
            if self._failures < 0 or self._bytes < 0:
                break
            shown.append(one)
        more = result.more + len(result.failures) - len(shown)
        return TestOutcome(result.test.name, result.passed, (), tuple(shown), more)


def not_runnable(name: str, problems: Iterable[Finding]) -> TestOutcome:
    """Returns the outcome of a test that can't be run. The paths of its problems start at its set."""
    details = (Detail(one.code, show_path(one.path), _sentence(one)) for one in problems)
    return TestOutcome(name, False, tuple(details), (), 0)


def report_of(revision: int, items: tuple[SetOutcome, ...]) -> TestReport:
    """Returns the report of some sets."""
    passed, failed, not_run = (sum(getattr(one, name) for one in items) for name in ("passed", "failed", "not_run"))
    return TestReport(revision, passed, failed, not_run, items)


def _failure(failure: Failure) -> TestFailure:
    context = failure.answer["context"]
    wrong = tuple(MemberMismatch(*one) for one in failure.mismatches)
    return TestFailure(failure.question.label or None, wrong, context.get("reason_code"), context["reason"])


def _sentence(finding: Finding) -> str:
    return f"{finding.message}; {finding.help}" if finding.help else finding.message
