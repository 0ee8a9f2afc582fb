"""`writ test`: runs policy tests."""

import sys
import time
from pathlib import Path

import click

from ....bundles.publish import published
from ....bundles.system_errors import os_sentence
from ..output import CommandFailed
from ..overwriting import refuse_overwriting
from ..reports.junit import show_junit
from ..source_paths import FilePath, SourcePath
from .file_discovery import NoTests
from .file_results import FileResult
from .machine_reports import show_tap, suites
from .session import Session
from .text_report import text_report
from .watching import stamps, wait_for_change


@click.command("test")
@click.argument("paths", nargs=-1, required=True, type=SourcePath())
@click.option("--format", "style", type=click.Choice(["text", "tap", "junit"]), default="text", help="The report.")
@click.option(
    "-o",
    "--output",
    type=FilePath(dir_okay=False),
    help="The file of the report. The results as text then go to standard output.",
)
@click.option("--coverage", "with_coverage", is_flag=True, help="Name the policies and conditions that no test tried.")
@click.option("--watch", is_flag=True, help="Run again when a file changes, until you interrupt it.")
def test_command(paths: tuple[Path, ...], style: str, output: Path | None, with_coverage: bool, watch: bool) -> None:
    """Run policy tests: all files that end in .test.yaml, .test.yml or .test.json, at the paths and in folders.

    A test asks the model for a decision or a filter, and says what the answer must have. For a failed test, Writ shows
    what was expected, what it answered, and why. Exit code 0 if all tests pass, 1 if one fails or can't be run, 2 for a
    path without tests.

    \b
    Examples:
      writ test policies/
      writ test policies/documents.test.yaml --coverage
      writ test policies/ --format junit -o report.xml
      writ test policies/ --watch
    """
    try:
        if watch:
            _watch(paths, style, output, with_coverage)
        passed, _ = _run(paths, style, output, with_coverage)
    except NoTests as ex:
        raise CommandFailed(str(ex)) from None
    except BrokenPipeError:
        raise
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    sys.exit(0 if passed else 1)


def _watch(paths: tuple[Path, ...], style: str, output: Path | None, with_coverage: bool) -> None:
    """Runs the tests, again after each change. It never returns."""
    read: list[Path] = []
    while True:
        before = stamps((*paths, *read))
        watched = (*paths, *read)
        try:
            _, read = _run(paths, style, output, with_coverage)
        except (NoTests, OSError) as ex:
            click.echo(str(ex), err=True)
        if (*paths, *read) != watched:
            before = stamps((*paths, *read))
        click.echo("waiting for a change", err=True)
        wait_for_change((*paths, *read), before)


def _run(paths: tuple[Path, ...], style: str, output: Path | None, with_coverage: bool) -> tuple[bool, list[Path]]:
    """Runs the tests once. Returns whether all passed, and the files that were read. Raises NoTests, OSError."""
    began = time.perf_counter()
    session = Session(with_coverage)
    results = list(session.results(paths))
    refuse_overwriting(output, session.sources())
    coverage = list(session.coverage())
    seconds = time.perf_counter() - began
    text = [*text_report(results, seconds, coverage)]
    if style == "text" or output is not None:
        click.echo("\n".join(text))
    if output is not None or style != "text":
        _write(_report(results, coverage, text, style), output)
    return not any(result.failed for result in results), session.read


def _report(results: list[FileResult], coverage: list[str], text: list[str], style: str) -> str:
    match style:
        case "tap":
            return show_tap(results, coverage)
        case "junit":
            return show_junit(suites(results, coverage))
        case _:
            return click.unstyle("".join(f"{line}\n" for line in text))


def _write(report: str, output: Path | None) -> None:
    if output is None:
        click.echo(report, nl=False)
        return
    with published(output) as file:
        file.write(report.encode())
