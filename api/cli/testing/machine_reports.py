"""Shows the results of tests to machines: TAP 14, and suites for JUnit XML."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from ...review.testing.running import TestResult
from ..reports.junit import Result, Suite
from .file_results import FileResult
from .text_report import failure_lines, mismatch_line

_FAILED: Final = "failed"


def show_tap(results: Sequence[FileResult], coverage: Sequence[str]) -> str:
    """Returns the results as TAP 14. A file that can't be run is one test, which failed."""
    return "".join(f"{line}\n" for line in _tap(results, coverage))


def suites(results: Iterable[FileResult], coverage: Sequence[str]) -> list[Suite]:
    """Returns the results as suites, one for each file. The last one has the lines on coverage as its output."""
    found = [Suite(result.name, _results(result)) for result in results]
    if coverage and found:
        found[-1] = Suite(found[-1].name, found[-1].results, "\n".join(coverage))
    return found


def _tap(results: Sequence[FileResult], coverage: Sequence[str]) -> Iterator[str]:
    yield "TAP version 14"
    yield f"1..{sum(len(result.tests) + bool(result.problem) for result in results)}"
    number = 0
    for result in results:
        if result.problem:
            number += 1
            yield f"not ok {number} - {_description(result.name)}"
            yield from _block({"message": "the tests can't be run", "file": result.name, "problem": result.problem})
        for test in result.tests:
            number += 1
            named = f"{number} - {_description(f'{result.name}: {test.test.name}')}"
            yield f"ok {named}" if test.passed else f"not ok {named}"
            if not test.passed:
                wrong = [mismatch_line(one) for failure in test.failures for one in failure.mismatches]
                yield from _block(
                    {"message": wrong[0], "at": result.place(test), "why": "\n".join(failure_lines(test))}
                )
    yield from (f"# {_one_line(line)}" for line in coverage)


def _block(members: dict[str, str]) -> Iterator[str]:
    """Yields a YAML block. A JSON string is a YAML string, on one line."""
    yield "  ---"
    for name, value in members.items():
        yield f"  {name}: {msgspec.json.encode(value).decode()}"
    yield "  ..."


def _description(text: str) -> str:
    r"""Returns the description of a test, in which `#` begins no directive.

    >>> _description("a # TODO\nb")
    'a \\# TODO b'
    """
    return _one_line(text).replace("\\", "\\\\").replace("#", "\\#")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _results(result: FileResult) -> list[Result]:
    if result.problem:
        return [Result("the tests can't be run", "the tests can't be run", "error", result.problem)]
    return [_result(test, result.place(test)) for test in result.tests]


def _result(test: TestResult, place: str) -> Result:
    if test.passed:
        return Result(test.test.name, seconds=test.seconds)
    first = mismatch_line(test.failures[0].mismatches[0])
    details = "\n".join((place, *failure_lines(test)))
    return Result(test.test.name, first, _FAILED, details, seconds=test.seconds)
