"""Runs a module of Writ in a separate process at low priority, so that its work does not delay decisions."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, Process
from typing import IO, Final

NICENESS: Final = 10
"""How much the process gives way to the workers."""

_START: Final = """\
import os, runpy, sys
os.nice(int(sys.argv[1]))
sys.argv = sys.argv[2:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
"""Gives way before it imports anything: the imports take half a second."""


def last_words(said: bytes) -> str:
    """Returns why a process failed: the last line that it wrote on its standard error."""
    return said.decode(errors="replace").strip().rpartition("\n")[2] or "it ended without a word"


async def own_process(
    module: str,
    *arguments: str,
    stdin: IO[bytes] | int = DEVNULL,
    stdout: int | None = None,
    stderr: int | None = None,
    niceness: int = NICENESS,
) -> Process:
    """Start `python -m module` with these arguments. Raises OSError if the process can't be started.

    A process that holds the write lock for long must not give way, or all other writes wait with it.
    """
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # don't import from the folder that the service was started in
        "-c",
        _START,
        str(niceness),
        module,
        *arguments,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
    )
