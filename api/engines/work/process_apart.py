"""Starts a program of Writ's own as a process apart, which has nothing of the service but a few files."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ....bundles.system_errors import Lack, lack_at


class CannotRunPython(Exception):
    """This user can't run the Python of this process, as if only root could. The message is one sentence."""


def python_lack() -> Lack | None:
    """Returns the right that this user lacks to run the Python of this process, or None."""
    return lack_at(Path(sys.executable), "x")


def require_python() -> None:
    """Raises CannotRunPython if each process that `process_apart` starts would fail."""
    lack = python_lack()
    if lack is not None:
        said = f"the service starts processes by `{sys.executable}`, but {lack.message}"
        raise CannotRunPython(f"{said}; install Writ with a Python that the user of the service can run")


def process_apart(module: str, files: Sequence[int], *arguments: str) -> subprocess.Popen[bytes]:
    """Runs `main` of a module. Its arguments are the numbers of the files, and then these. Raises OSError."""
    start = f"from {module} import main; main()"
    return subprocess.Popen(  # noqa: S603 - only names of Writ's modules
        # -P: don't import from the folder that the service was started in
        [sys.executable, "-P", "-c", start, *map(str, files), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=tuple(files),  # and no listening socket, file or lock of the service
        start_new_session=True,  # a terminal's signals are for the service
    )
