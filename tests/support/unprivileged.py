"""Runs as a user who may not ignore the modes of files, in a folder that every user can enter."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

NOBODY: Final = 65_534


@contextmanager
def entered_by_all() -> Iterator[Path]:
    """A new folder. pytest's own can be entered by their owner alone."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def unprivileged() -> Iterator[None]:
    """Runs without the right to ignore the modes of files."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
