"""The model that `writ serve` starts with: the stored one, model documents that replace it, or the demo."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from ...bundles.system_errors import FULL_DISK, sentence_of
from ...compiler.source import Source
from ..engines.live.build import InvalidModel, sources_of
from ..engines.live.data_directory import UnusableDirectory
from ..engines.live.import_model import check_model, ensure_bundle, store_model
from ..store.actor import command_actor
from ..store.environment_ids import DEFAULT
from ..store.errors import StoreFull
from ..store.store import Store
from .demo import demo_sources
from .output import error_console, progress_bar
from .sentences import summary

_HAS_ERROR: Final = "the model of `%s` has an error, with which the service goes on: %s"


def prepare_model(directory: Path, store: Store, sources: tuple[Path, ...], demo: bool, log: logging.Logger) -> None:
    """Stores the model of the command line, if there is one, and builds each bundle that is missing.

    A worker builds a bundle later for which there is no room now. Ends the process with exit code 1 if the model has
    errors.

    Raises:
        NoSources: there is no document at one of the paths.
        UnusableDirectory: the demo would replace another model.
        StoreUnavailable: the store can't be read or written.
        OSError: a document or a bundle can't be read or written.
    """
    shown, known = "", None
    try:
        with progress_bar() as progress:
            documents = _demo_documents(directory, store) if demo else sources_of(sources)
            if documents:
                checked, submitted = check_model(documents, progress)
                known = store_model(store, DEFAULT, submitted, progress)
                shown = checked.shown
                del documents, submitted  # the bundle needs the memory
            for environment in store.environments():
                for one in store.insight.errors(environment.id, store.limits).all:
                    log.warning(_HAS_ERROR, environment.id, one)
                with _room_missing_later(environment.id, log):
                    ensure_bundle(directory, store, environment.id, progress, known)
    except InvalidModel as ex:
        click.echo(ex.checked.shown, nl=False, err=True)
        error_console().print(summary(ex.checked.diagnostics))
        sys.exit(1)
    click.echo(shown, nl=False, err=True)
    if not store.revision_of(DEFAULT):
        error_console().print(
            "There is no model yet, so every request is denied. Add one with --import, --demo or the HTTP API."
        )


@contextmanager
def _room_missing_later(environment: str, log: logging.Logger) -> Iterator[None]:
    """Lets the service start without the bundle that the block builds, if the disk is full."""
    try:
        yield
    except (StoreFull, OSError) as ex:
        if isinstance(ex, OSError) and ex.errno not in FULL_DISK:
            raise
        problem = "no bundle of `%s` can be built, so nothing is decided there until there is room: %s"
        log.error(problem, environment, sentence_of(ex))


def wanted_seeds(seeds: tuple[Path, ...], store: Store, log: logging.Logger) -> tuple[Path, ...]:
    """Returns the documents for a store that never had a model, or none."""
    if not seeds or not store.revision_of(DEFAULT):
        return seeds
    log.info("the store has a model, so `--import-if-empty` does nothing")
    return ()


def _demo_documents(directory: Path, store: Store) -> list[Source]:
    """Returns the demo's documents, or none if the store has them. Raises UnusableDirectory if it has another model."""
    documents = [Source(*document) for document in demo_sources()]
    if not store.revision_of(DEFAULT):
        return documents
    if store.put_model(DEFAULT, command_actor(), documents, dry_run=True).changes:
        raise UnusableDirectory(
            f"`{directory}` has another model, which the demo would replace; choose another directory with `--data`"
        )
    return []
