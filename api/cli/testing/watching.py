"""Waits until a file changes, for `writ test --watch`."""

import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from ...engines.live.build import DOCUMENT_ENDINGS

POLL_SECONDS: Final = 0.3
"""The seconds between two looks at the files."""

Stamps: TypeAlias = Mapping[Path, tuple[int, int]]
"""The time of the last change of each file, in nanoseconds, and its size."""


def stamps(paths: Iterable[Path]) -> Stamps:
    """Returns the stamps of files, and of all documents in folders. A file that is gone has none."""
    return dict(_stamped(paths))


def wait_for_change(paths: Iterable[Path], before: Stamps) -> Stamps:
    """Returns the stamps of `paths` when they are no longer those of `before`. Waits until then."""
    watched = list(paths)
    while (now := stamps(watched)) == before:
        time.sleep(POLL_SECONDS)
    return now


def _stamped(paths: Iterable[Path]) -> Iterator[tuple[Path, tuple[int, int]]]:
    for path in paths:
        inside = (one for one in path.rglob("*") if one.suffix.lower() in DOCUMENT_ENDINGS)
        for one in inside if path.is_dir() else (path,):
            try:
                found = one.stat()
            except OSError:  # it was removed meanwhile
                continue
            yield one, (found.st_mtime_ns, found.st_size)
