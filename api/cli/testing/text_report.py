"""Shows the results of tests to people: a line for each file, each failure with its proof, and a summary."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import click
import msgspec

from ....bundles.conditions.values import Json
from ...review.testing.comparing import ABSENT, Mismatch
from ...review.testing.running import Failure, TestResult
from ..output import escaped
from .file_results import FileResult

WIDEST: Final = 50
"""The characters of a value that stands beside another one. A longer value has its own line."""

MOST_CHARACTERS: Final = 2_000
"""The characters of a value that are shown."""

_INDENT: Final = "  "
_HEADS: Final = ("", "expected", "got")
_GREEN, _RED = "green", "red"


def text_report(results: Iterable[FileResult], seconds: float, coverage: Sequence[str]) -> Iterator[str]:
    """Yields the lines of a report, coloured for a terminal. `coverage` are lines about what no test tried."""
    done = list(results)
    for result in done:
        yield from _file(result)
    yield from (escaped(line) for line in coverage)
    yield summary(done, seconds)


def summary(results: Sequence[FileResult], seconds: float) -> str:
    """Returns the counts of all tests in one line."""
    tests = sum(len(result.tests) for result in results)
    failed = sum(result.failed for result in results)
    passed = sum(test.passed for result in results for test in result.tests)
    told = f"{passed} passed" + (f", {failed} failed" if failed else "")
    line = f"{tests} test{'' if tests == 1 else 's'}: {told} ({seconds:.2f} s)"
    return click.style(line, fg=_RED if failed else _GREEN, bold=True)


def failure_lines(test: TestResult) -> Iterator[str]:
    """Yields why a test failed, as plain lines: what was expected beside what Writ answered, and the proof."""
    for failure in test.failures:
        if failure.question.label:
            yield f"{failure.question.label}:"
        yield from _compared(failure)
        yield from failure.proof
    if test.more:
        yield f"and {test.more} more"


def _file(result: FileResult) -> Iterator[str]:
    if result.problem:
        yield f"{escaped(result.name)}: {click.style('not run', fg=_RED)}"
        yield result.problem.rstrip("\n")
        return
    for test in result.tests:
        if not test.passed:
            head = click.style("FAILED", fg=_RED, bold=True)
            yield f"{head} {escaped(test.test.name)} ({escaped(result.place(test))})"
            yield from (f"{_INDENT}{escaped(line)}" for line in failure_lines(test))
    passed = sum(test.passed for test in result.tests)
    failed = f", {click.style(f'{result.failed} failed', fg=_RED)}" if result.failed else ""
    yield f"{escaped(result.name)}: {click.style(f'{passed} passed', fg=_GREEN)}{failed}"


def _compared(failure: Failure) -> Iterator[str]:
    rows = [(one.member, shown_value(one.expected), shown_value(one.got)) for one in failure.mismatches]
    if any(len(text) > WIDEST for row in rows for text in row[1:]):
        for member, expected, got in rows:
            yield member
            yield f"{_INDENT}expected {expected}"
            yield f"{_INDENT}got      {got}"
        return
    widths = [max(len(row[place]) for row in (_HEADS, *rows)) for place in range(len(_HEADS))]
    for row in (_HEADS, *rows):
        yield _INDENT.join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


def shown_value(value: Json) -> str:
    """Returns a value as JSON, or its beginning, or `(none)` for an absent member."""
    text = ABSENT if value is None else msgspec.json.encode(value).decode()
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"


def mismatch_line(one: Mismatch) -> str:
    """Returns a mismatch in one line."""
    return f"{one.member}: expected {shown_value(one.expected)}, got {shown_value(one.got)}"
