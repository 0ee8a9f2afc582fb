"""Runs the `writ` command, each time in a separate process, forked from one that has imported it already."""

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from writ.api.cli.main import COMMANDS, main

WRIT: Final = Path(sys.executable).parent / "writ"
"""The installed command, for tests of what this process and a fork of it can't show."""

_PATIENCE_SECONDS: Final = 60
_STREAMS: Final = ("stdin", "stdout", "stderr")
_FORKS: Final = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(
    [__name__, *(f"writ.api.cli{command.module}" for command in COMMANDS.values())]
)  # a third of a test run would go into imports


def writ(
    *arguments: str | Path,
    stdin: bytes = b"",
    cwd: Path | None = None,
    settings: Mapping[str, str] | None = None,
    constants: Mapping[str, object] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """The finished command; its output is bytes, and it is not a terminal's.

    `settings` are environment variables, beside those of this process. `constants` are values that the command has
    instead of its own values, by module and name: how long it waits, for one.
    """
    line = [str(WRIT), *map(str, arguments)]
    umask = os.umask(0)
    os.umask(umask)
    with TemporaryDirectory() as folder:
        (Path(folder) / "stdin").write_bytes(stdin)
        environment = {**os.environ, **(settings or {})}
        process = _FORKS.Process(
            target=_run, args=(line, folder, cwd or Path.cwd(), environment, umask, constants or {})
        )
        process.start()
        process.join(_PATIENCE_SECONDS)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(line, _PATIENCE_SECONDS)
        output, errors = ((Path(folder) / name).read_bytes() for name in _STREAMS[1:])
        return subprocess.CompletedProcess(line, process.exitcode, output, errors)


def _run(
    line: list[str], folder: str, cwd: Path, environment: dict[str, str], umask: int, constants: Mapping[str, object]
) -> None:
    """What the console script does, in a process that is made to look as if a shell had started it."""
    for descriptor, name in enumerate(_STREAMS):
        opened = os.open(f"{folder}/{name}", os.O_RDWR | os.O_CREAT)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdin = open(0)  # noqa: SIM115 - multiprocessing has put another one in its place
    os.environ.clear()
    os.environ.update(environment)
    os.umask(umask)
    os.chdir(cwd)
    for name, value in constants.items():
        module, _, constant = name.rpartition(".")
        setattr(import_module(module), constant, value)
    sys.argv = line
    main()
