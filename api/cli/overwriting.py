"""Keeps a command from writing its output over what it read, or to a name that Writ reads as policy tests."""

import os
from collections.abc import Iterable
from pathlib import Path

from ..engines.live.build import TEST_ENDINGS
from .output import CommandFailed


def refuse_overwriting(output: Path | None, sources: Iterable[Path]) -> None:
    """Raises CommandFailed if `output` is one of the files `sources`, or has the name of a file of policy tests."""
    if output is None:
        return
    if output.name.endswith(TEST_ENDINGS):
        raise CommandFailed(f"the output `{output}` has the name of a file of policy tests: name another file")
    if output.is_file() and any(source.exists() and os.path.samefile(output, source) for source in sources):
        raise CommandFailed(f"the output `{output}` is one of the sources: name another file")
