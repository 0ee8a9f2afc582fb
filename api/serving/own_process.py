"""Runs a module of Writ in a separate process, so that its work does not delay decisions."""

import asyncio
import sys
from asyncio.subprocess import DEVNULL, Process
from typing import IO


async def own_process(
    module: str, *arguments: str, stdin: IO[bytes] | int = DEVNULL, stdout: int | None = None, stderr: int | None = None
) -> Process:
    """Start `python -m module` with these arguments. Raises OSError if the process can't be started."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # don't import from the folder that the service was started in
        "-m",
        module,
        *arguments,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
    )
