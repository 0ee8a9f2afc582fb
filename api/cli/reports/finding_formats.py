"""The findings of `writ check` in each of its formats."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from ....compiler.diagnostics.diagnostic import Diagnostic
from ....compiler.diagnostics.show import show_json
from .junit import Result, Suite, show_junit
from .sarif import show_sarif
from .workflow_commands import workflow_commands

FORMATS: Final = ("text", "json", "sarif", "github", "junit")


def show_findings(diagnostics: Sequence[Diagnostic], files: Iterable[str], form: str, strict: bool) -> str:
    """Returns the findings in a format other than text. `files` are all checked files, also those without findings.

    With `strict`, a warning is a failure.
    """
    match form:
        case "json":
            return f"{show_json(diagnostics)}\n"
        case "sarif":
            return f"{show_sarif(diagnostics)}\n"
        case "github":
            return "".join(f"{line}\n" for line in workflow_commands(diagnostics))
        case _:
            return show_junit(list(_suites(diagnostics, files, strict)))


def _suites(diagnostics: Sequence[Diagnostic], files: Iterable[str], strict: bool) -> Iterator[Suite]:
    """Yields a suite for each file. A file without findings has one result, which passes."""
    found = {file: list(rows) for file, rows in groupby(diagnostics, key=lambda one: one.file)}
    for file in dict.fromkeys([*files, *found]):
        results = [_result(one, strict) for one in found.get(file, ())]
        yield Suite(file or "the whole model", results or [Result("no findings")])


def _result(one: Diagnostic, strict: bool) -> Result:
    place = f"{one.line}:{one.column}: " if one.line else ""
    message = f"{place}{one.severity}[{one.code}]: {one.message}"
    more = f"{one.file}:{message}" + (f"\nhelp: {one.help}" if one.help else "")
    name = f"{one.code} at {one.path}"
    if one.severity == "error" or strict:
        return Result(name, message, one.code, more)
    return Result(name, output=more)
