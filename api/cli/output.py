"""What the commands say: progress and messages on standard error, coloured on a terminal and plain in a pipe."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from ...bundles.file.writer import Progress as Report
from ...compiler.diagnostics.diagnostic import Diagnostic
from ..serving.build import DOCUMENT_ENDINGS

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class CommandFailed(click.ClickException):
    """Input that can't be read, or output that can't be written: exit code 2."""

    exit_code = 2


def escaped(text: str) -> str:
    r"""Text of others for one line of a terminal: what would steer it, or turn its direction, as in JSON strings.

    >>> escaped("a\x9b1m\u202eb")
    'a\\u009b1m\\u202eb'
    """
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def os_sentence(error: OSError) -> str:
    """What the system refused, of which file.

    >>> os_sentence(FileNotFoundError(2, "No such file or directory", "model.yaml"))
    'model.yaml: no such file or directory'
    """
    return f"{error.filename}: {(error.strerror or str(error)).lower()}" if error.filename else str(error)


def bundle_sentence(path: Path, error: Exception) -> str:
    """What is wrong with a bundle, and the way from a model document to one.

    >>> bundle_sentence(Path("model.yaml"), ValueError("this is not a Writ bundle"))
    'model.yaml: this is not a Writ bundle; `writ compile` makes one of a model document'
    """
    remedy = "; `writ compile` makes one of a model document" if path.suffix in DOCUMENT_ENDINGS else ""
    return f"{path}: {error}{remedy}"


def error_console() -> Console:
    """Standard error, without colours where it is no terminal."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


@contextmanager
def progress_bar() -> Iterator[Report]:
    """A callable that shows how far each stage of long work has come; it shows nothing where nobody looks."""
    console = error_console()
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks: dict[str, int] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(bars.tasks[tasks[stage]].id, completed=done, total=total)

        yield report


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """`2 errors, 1 warning`."""
    counted = []
    for severity in ("error", "warning"):
        count = sum(diagnostic.severity == severity for diagnostic in diagnostics)
        if count:
            counted.append(f"{count} {severity}{'s' if count != 1 else ''}")
    return ", ".join(counted)
