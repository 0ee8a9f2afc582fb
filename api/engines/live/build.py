"""Reads and checks model sources, and builds bundles from them."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import BinaryIO

from ....bundles import zones
from ....bundles.progress import Progress
from ....bundles.publish import published
from ....compiler.diagnostics.diagnostic import Diagnostic
from ....compiler.diagnostics.show import show_text
from ....compiler.load import load
from ....compiler.model.elements import Model
from ....compiler.source import Source
from ...settings.model_limits import model_limits
from ..work.gc_pause import without_gc

DOCUMENT_ENDINGS = (".json", ".yaml", ".yml", ".writ")
"""The endings of the files that Writ reads from a folder of sources."""

TEST_ENDINGS = (".test.yaml", ".test.yml", ".test.json")
"""The endings of the names of policy tests, which are no model documents. Writ passes over them in a folder."""


@dataclass(frozen=True, slots=True)
class CheckedSources:
    """Sources after reading and checking: the model, or None if it has errors, and the diagnostics.

    `shown` is the diagnostics as text with excerpts. It is made at once, so that the sources need not stay in memory.
    """

    model: Model | None
    diagnostics: tuple[Diagnostic, ...]
    shown: str


class InvalidModel(Exception):
    """The sources have errors. `checked` has all diagnostics, warnings too."""

    def __init__(self, checked: CheckedSources):
        super().__init__("the model has errors")
        self.checked = checked


class NoSources(Exception):
    """A folder has no model documents, or a file has policy tests instead. The message names the path."""


def silent(_stage: str, _done: int, _total: int) -> None:
    """Ignore a report of progress."""


def unsigned(_file: BinaryIO) -> None:
    """Leave a bundle without a signature."""


def check_files(paths: Sequence[Path], progress: Progress = silent) -> CheckedSources:
    """Read and check files, and folders of files.

    Raises NoSources for a folder without sources, OSError for a path that can't be read.
    """
    return check_sources(sources_of(paths), progress)


def sources_of(paths: Sequence[Path]) -> list[Source]:
    """Returns the contents of files, and of folders of files.

    Raises NoSources for a folder without sources, OSError for a path that can't be read.
    """
    return [Source(str(path), path.read_bytes()) for path in files_of(paths)]


def build_bundle(
    paths: Sequence[Path],
    output: Path,
    progress: Progress = silent,
    finish: Callable[[BinaryIO], object] = unsigned,
) -> CheckedSources:
    """Compile files to a bundle and publish it. Returns the checked sources, without the model they had.

    `finish` gets the complete file before it is published, and may sign it.

    Raises InvalidModel for a model with errors, and NoSources and OSError as `check_files` does. `output` is unchanged
    then.
    """
    with without_gc():
        checked = check_files(paths, progress)
        if checked.model is None:
            raise InvalidModel(checked)
        from ....compiler.compile import compile_model  # PERF: `writ check` starts sooner without the bundle format

        progress("compiling", 0, 1)
        compiled = compile_model(checked.model, zones.zone_data, zones.VERSION)
        progress("compiling", 1, 1)
        checked = replace(checked, model=None)  # PERF: a large model is not in memory while its bundle is written
        with published(output) as file:
            compiled.write(file, progress)
            finish(file)
        return checked


@without_gc()
def check_sources(sources: Sequence[Source], progress: Progress = silent) -> CheckedSources:
    """Read and check documents as one model, within the limits of `model_limits`. Raises BadSetting."""
    loaded = load(sources, zones.zone_names(), progress, model_limits(os.environ), now=time.time())
    shown = "".join(f"{lines}\n" for lines in show_text(loaded.diagnostics, sources))
    return CheckedSources(loaded.model, loaded.diagnostics, shown)


def files_of(paths: Sequence[Path], endings: Sequence[str] = DOCUMENT_ENDINGS) -> Iterator[Path]:
    """Yields files as they are, and the files with these endings in folders.

    Raises NoSources for a folder without such files, and for a file of policy tests.
    """
    for path in paths:
        if not path.is_dir():
            if path.name.endswith(TEST_ENDINGS):
                raise NoSources(f"`{path}` is a file of policy tests, not a model: run it with `writ test`")
            yield path
            continue
        found = sorted(inner for inner in path.rglob("*") if is_document(inner, endings) and inner.is_file())
        if not found:
            raise NoSources(f"`{path}` holds no model documents ({', '.join(endings)})")
        yield from found


def is_document(path: PurePath, endings: Sequence[str] = DOCUMENT_ENDINGS) -> bool:
    """Returns whether a file of this name is read as a model document when its folder is a source."""
    return path.suffix.lower() in endings and not path.name.lower().endswith(TEST_ENDINGS)
