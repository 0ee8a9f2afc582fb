"""Ends a command that the place refuses: exit code 1, with the reason."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ..output import error_console, escaped
from .environment_host import HostRefused
from .shown_answers import drift_lines


@contextmanager
def told_refusals() -> Iterator[None]:
    """Prints why the place refused what is in the block, and ends the process with exit code 1."""
    try:
        yield
    except HostRefused as ex:
        console = error_console()
        console.print(f"Refused: {escaped(str(ex))}", markup=False)
        for line in (*ex.details, *(drift_lines(ex.drift) if ex.drift else ())):
            console.print(f"  {escaped(line)}", markup=False)
        sys.exit(1)
