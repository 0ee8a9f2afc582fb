"""Finds the files of tests on the command line, and the sources of their models."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...engines.live.build import TEST_ENDINGS
from ...review.testing.file_reading import ReadFile


class NoTests(Exception):
    """There are no tests at a path. The message is one sentence."""


def test_files(paths: Sequence[Path]) -> list[Path]:
    """Returns the test files at some paths, each once: files, and all test files in folders and their subfolders.

    Raises NoTests for a folder without test files, and for a file with another name.
    """
    return list(dict.fromkeys(_found(paths)))


def model_paths(file: ReadFile) -> tuple[Path, ...]:
    """Returns the sources of the model that a file tests: those that it names, or its folder."""
    folder = Path(file.source.name).parent
    if file.model is None:
        return (folder,)
    return tuple(Path(os.path.normpath(folder / name)) for name in file.model)


def _found(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            inside = sorted(one for one in path.rglob("*") if one.name.endswith(TEST_ENDINGS) and one.is_file())
            if not inside:
                raise NoTests(f"`{path}` has no tests (files that end in {', '.join(TEST_ENDINGS)})")
            yield from inside
        elif path.name.endswith(TEST_ENDINGS):
            yield path
        else:
            raise NoTests(f"`{path}` is not a file of tests: its name must end in {', '.join(TEST_ENDINGS)}")
