"""Checks of the machine: room on the disk, and the limit of open files."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ...server.server import SPARE_FILES
from ...settings.settings import Settings
from ...store.database.sqlite.opening import FILE
from .finding import DoctorFinding, failure, ok, warning

LEAST_BYTES: Final = 64 * 2**20
"""Below it, the next writes may fail."""

ROOM_FACTOR: Final = 3
"""The room that a store needs beside it, as a multiple of its size: an upgrade's copy, its log, and a new bundle."""

LEAST_FILES: Final = 1_000
"""Below it, the next files may not be made."""


def check_disk(directory: Path) -> Iterator[DoctorFinding]:
    """Yields whether there is room for the store to grow and to be upgraded."""
    found = os.statvfs(directory)
    free = found.f_bavail * found.f_frsize
    store = directory / FILE
    wanted = max(LEAST_BYTES, ROOM_FACTOR * (store.stat().st_size if os.path.exists(store) else 0))
    shown = f"{free / 2**20:,.0f} MiB are free"
    if free < LEAST_BYTES:
        yield failure(
            f"only {shown}; if the disk is full, decisions go on, and changes get 503", "make room on the disk"
        )
    elif free < wanted:
        yield warning(f"{shown}; an upgrade may need {wanted / 2**20:,.0f} MiB", "make room on the disk")
    else:
        yield ok(shown)
    if found.f_files and found.f_favail < LEAST_FILES:
        yield failure(f"only {found.f_favail} more files can be made", "delete files on this disk")


def check_files(settings: Settings) -> Iterator[DoctorFinding]:
    """Yields whether a process with the limits of this one may have as many connections as the settings say."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = settings.limits.connections + SPARE_FILES
    if hard != resource.RLIM_INFINITY and hard < needed:
        message = f"a process may open {hard} files, and {settings.limits.connections} connections need {needed}"
        yield warning(message, "raise the limit of open files, or lower WRIT_MAX_CONNECTIONS")
    else:
        yield ok("a process may open enough files")
