"""From source files to a checked model, and to a published bundle: what the commands share."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...bundles import zones
from ...bundles.file.writer import Progress
from ...bundles.manifest import Profile
from ...bundles.publish import published
from ...compiler.compile import compile_model
from ...compiler.diagnostics.diagnostic import Diagnostic
from ...compiler.diagnostics.show import show_text
from ...compiler.load import load
from ...compiler.model.elements import Model
from ...compiler.source import Source

KINDS = (".json", ".yaml", ".yml")
"""Endings of the files that are read from a folder given as a source."""


@dataclass(frozen=True, slots=True)
class Read:
    """Sources after reading and checking: the model, None where it has errors, and what was found.

    `shown` is the findings as text with excerpts, made at once so that the sources need not be kept.
    """

    model: Model | None
    diagnostics: tuple[Diagnostic, ...]
    shown: str


class Refused(Exception):
    """The sources have errors; `read` has all that was found, warnings too."""

    def __init__(self, read: Read):
        super().__init__("the model has errors")
        self.read = read


class NoSources(Exception):
    """There is nothing to read; the message says where."""


def silent(_stage: str, _done: int, _total: int) -> None:
    """A progress that nobody watches."""


@contextmanager
def without_cycle_search() -> Iterator[None]:
    """PERF: models and bundles have no cycles; to look for some among millions of objects is a tenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def read_files(paths: Sequence[Path], progress: Progress = silent) -> Read:
    """Read and check files, and folders of them.

    Raises NoSources for a folder without sources, OSError for a path that can't be read.
    """
    return read_sources(sources_of(paths), progress)


def sources_of(paths: Sequence[Path]) -> list[Source]:
    """The contents of files, and of folders of them.

    Raises NoSources for a folder without sources, OSError for a path that can't be read.
    """
    return [Source(str(path), path.read_bytes()) for path in _files(paths)]


def build_bundle(paths: Sequence[Path], output: Path, progress: Progress = silent, profile: Profile = "full") -> Read:
    """Compile files to a bundle and publish it; gives back what was found, warnings at most.

    Raises Refused for a model with errors, NoSources and OSError as `read_files` does; `output` is untouched then.
    """
    return _publish(read_files(paths, progress), output, progress, profile)


@without_cycle_search()
def read_sources(sources: Sequence[Source], progress: Progress = silent) -> Read:
    """Read and check documents as one model."""
    loaded = load(sources, zones.zone_names(), progress)
    shown = "".join(f"{lines}\n" for lines in show_text(loaded.diagnostics, sources))
    return Read(loaded.model, loaded.diagnostics, shown)


@without_cycle_search()
def _publish(read: Read, output: Path, progress: Progress, profile: Profile) -> Read:
    if read.model is None:
        raise Refused(read)
    progress("compiling", 0, 1)
    compiled = compile_model(read.model, zones.zone_data, zones.VERSION, profile)
    progress("compiling", 1, 1)
    with published(output) as file:
        compiled.write(file, progress)
    return read


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(inner for inner in path.rglob("*") if inner.suffix in KINDS and inner.is_file())
        if not found:
            raise NoSources(f"`{path}` holds no model documents ({', '.join(KINDS)})")
        yield from found
