"""Progress and messages of the commands, on standard error: coloured on a terminal, plain in a pipe."""

import io
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Final, cast

import click

from ...bundles.progress import Progress as Report

if TYPE_CHECKING:
    from rich.console import Console

_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""Controls, changes of direction, and what takes no place. The joiners of scripts and emoji stay."""


class CommandFailed(click.ClickException):
    """A command can't go on, for example because a file can't be read or written: exit code 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        """Says why, on standard error or in the log."""
        if MESSAGES.log is None:
            super().show(file)
        else:
            MESSAGES.log.error("%s", self.message)


class CommandRefused(CommandFailed):
    """The state of a store does not allow what a command would do: exit code 1."""

    exit_code = 1


class Messages:
    """Messages: they go to the log of a server, if its lines are for machines, or else to standard error."""

    log: logging.Logger | None = None


MESSAGES: Final = Messages()
"""Set by a server when it starts."""


class _LinesOfLog(io.TextIOBase):
    """A stream whose texts become lines of a log."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log

    def write(self, text: str) -> int:
        """See `io.TextIOBase`."""
        if text.strip():
            self._log.info("%s", text.strip())
        return len(text)


def escaped(text: str) -> str:
    r"""Returns foreign text, safe for a terminal: controls, directions and hidden characters are escaped as in JSON.

    >>> escaped("a\x9b1m\u202eb")
    'a\\u009b1m\\u202eb'
    """
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def error_console() -> "Console":
    """Returns standard error as a console, with colours only on a terminal; or the log, see `Messages`."""
    from rich.console import Console  # PERF: `writ check` in a pipe starts in half the time without it

    if MESSAGES.log is not None:
        stream = cast(IO[str], _LinesOfLog(MESSAGES.log))
        return Console(file=stream, highlight=False, soft_wrap=True, no_color=True, force_terminal=False)
    return Console(stderr=True, highlight=False, soft_wrap=True)


@contextmanager
def progress_bar() -> Iterator[Report]:
    """Yields a callable that shows the progress of each stage on a terminal, and elsewhere does nothing."""
    if MESSAGES.log is not None or not sys.stderr.isatty():
        yield _silent
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=error_console(), transient=True) as bars:
        tasks: dict[str, int] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(bars.tasks[tasks[stage]].id, completed=done, total=total)

        yield report


def _silent(_stage: str, _done: int, _total: int) -> None:
    """Ignore a report of progress: the output is no terminal."""
