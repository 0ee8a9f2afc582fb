"""Runs the `writ` command to its end, each time in a separate process."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.forks import Forked, Line
from tests.support.waiting import PATIENCE_SECONDS

WRIT: Final = Path(sys.executable).parent / "writ"
"""The installed command, for tests of what this process and a fork of it can't show."""


def writ(
    *arguments: str | Path,
    stdin: bytes = b"",
    cwd: Path | None = None,
    settings: Mapping[str, str] | None = None,
    constants: Mapping[str, object] | None = None,
) -> CompletedProcess[bytes]:
    """The finished command; its output is bytes, and it is not a terminal's.

    `settings` are environment variables, beside those of this process. `constants` are values that the command has
    instead of its own values, by module and name: how long it waits, for one.
    """
    with TemporaryDirectory() as folder:
        given, output, errors = (Path(folder) / name for name in ("stdin", "stdout", "stderr"))
        given.write_bytes(stdin)
        environment = {**os.environ, **(settings or {})}
        words = [str(WRIT), *map(str, arguments)]
        command = Forked(Line(words, given, output, errors, cwd or Path.cwd(), environment, constants or {}))
        try:
            code = command.wait(PATIENCE_SECONDS)
        finally:
            command.kill()
        return CompletedProcess(words, code, output.read_bytes(), errors.read_bytes())
