"""Runs test files from disk: reads them and their models, and reports each file that can't be run."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ....bundles.errors import BundleError
from ....bundles.system_errors import os_sentence
from ....compiler.diagnostics.diagnostic import Finding
from ....compiler.diagnostics.show import show_text
from ....compiler.source import Source
from ...engines.live.build import TEST_ENDINGS, InvalidModel, NoSources, files_of
from ...review.testing.coverage import Coverage
from ...review.testing.file_reading import ReadFile, read_file
from ...review.testing.refused_requests import refused_requests
from ...review.testing.tested_model import UnusableModel
from ...review.testing.undeclared import undeclared
from .file_discovery import model_paths, test_files
from .file_results import FileResult, run_file
from .source_model import SourceModel, source_model

_OTHER_FOLDER: Final = "the model is in the file's own folder: to test the one of the folder above, write `model: [..]`"


@dataclass(slots=True)
class Session:
    """One run of test files. A model that several files test is compiled once.

    `read` are the paths of the files and of the sources that it read.
    """

    with_coverage: bool
    read: list[Path] = field(default_factory=list)
    _models: dict[tuple[Path, ...], SourceModel | InvalidModel] = field(default_factory=dict)
    _coverages: dict[tuple[Path, ...], Coverage] = field(default_factory=dict)

    def results(self, paths: Sequence[Path]) -> Iterator[FileResult]:
        """Yields the result of each test file at some paths. Raises NoTests, OSError."""
        for path in test_files(paths):
            yield self._result(self.read_file(path))

    def read_file(self, path: Path) -> ReadFile:
        """Returns the tests in a file. Raises OSError."""
        self.read.append(path)
        return read_file(Source(str(path), path.read_bytes()))

    def sources(self) -> Iterator[Path]:
        """Yields the files that were read: tests, and the documents or the bundle of each model."""
        for path in self.read:
            with suppress(NoSources):
                yield from (path,) if path.name.endswith(TEST_ENDINGS) else files_of([path])

    def coverage(self) -> Iterator[str]:
        """Yields what no test tried, for each model."""
        for paths, coverage in self._coverages.items():
            if len(self._coverages) > 1:
                yield f"the model {', '.join(map(str, paths))}"
            yield from coverage.lines()

    def opened(self, file: ReadFile) -> SourceModel | FileResult:
        """Returns the model that a file tests, or why the file can't be run."""
        if file.diagnostics:
            return _problem(file)
        sources = model_paths(file)
        self.read += sources
        try:
            model = self._model(sources)
            found = [finding for test in file.tests for finding in undeclared(test, model.declared)]
            found = found or [finding for test in file.tests for finding in refused_requests(test, model)]
            return _problem(file.with_findings(found)) if found else model
        except InvalidModel as ex:
            return FileResult(file, problem=f"{ex.checked.shown}the model has errors")
        except (BundleError, NoSources, UnusableModel) as ex:
            return _without_model(file, str(ex))
        except OSError as ex:
            return _without_model(file, os_sentence(ex))

    def _result(self, file: ReadFile) -> FileResult:
        model = self.opened(file)
        if isinstance(model, FileResult):
            return model
        sources = model_paths(file)
        coverage = self._coverages.setdefault(sources, Coverage(model.program)) if self.with_coverage else None
        try:
            return run_file(file, model, coverage)
        except (BundleError, UnusableModel) as ex:
            return _without_model(file, str(ex))

    def _model(self, paths: tuple[Path, ...]) -> SourceModel:
        found = self._models.get(paths)
        if found is None:
            try:
                found = source_model(paths)
            except InvalidModel as ex:
                found = ex
            self._models[paths] = found
        if isinstance(found, InvalidModel):
            raise found
        return found


def _without_model(file: ReadFile, sentence: str) -> FileResult:
    """Returns the result of a file whose model can't be used, with the place at which the file names it."""
    message = f"the model can't be used: {sentence}"
    path, help_text = (("model",), "") if file.model is not None else ((), _OTHER_FOLDER)
    return _problem(file.with_findings([Finding("no-model", message, path, help_text)]))


def _problem(file: ReadFile) -> FileResult:
    lines = show_text(file.diagnostics, [file.source])
    return FileResult(file, problem="\n".join(lines))
