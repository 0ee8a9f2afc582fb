"""Imports a model into a store and makes it live, for `writ import` and `writ serve`."""

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ....bundles.progress import Progress
from ....compiler.source import Source
from ...store.actor import command_actor
from ...store.models.reading import KnownModel
from ...store.models.submitted_model import SubmittedModel
from ...store.store import Store
from ..work.gc_pause import without_gc
from .build import CheckedSources, InvalidModel, check_sources
from .bundle_files import BundleFiles, NoBundle
from .data_directory import open_lock

_LOCK_FILE = "compaction.lock"


def check_model(sources: Sequence[Source], progress: Progress) -> tuple[CheckedSources, SubmittedModel]:
    """Returns the diagnostics of documents, warnings at most, and the model to store. Raises InvalidModel."""
    checked = check_sources(sources, progress)
    if checked.model is None:
        raise InvalidModel(checked)
    return checked, SubmittedModel.of(checked.model, sources)


@without_gc()
def store_model(store: Store, environment: str, submitted: SubmittedModel, progress: Progress) -> KnownModel:
    """Replace the model of an environment. Raises NotFound and StoreUnavailable, and changes nothing then."""
    progress("storing", 0, 1)
    changes = store.put_submitted(environment, command_actor(), submitted)
    progress("storing", 1, 1)
    return KnownModel(changes.etag, submitted.model)


@without_gc()
def ensure_bundle(
    directory: Path, store: Store, environment: str, progress: Progress, known: KnownModel | None = None
) -> None:
    """Build a bundle, unless a bundle and deltas lead to the environment's newest revision, or it is empty.

    `known` replaces the read from the store if it is the current model. Raises OSError, StoreUnavailable.
    """
    files = BundleFiles(directory, store)
    try:
        updates = files.newest(environment).updates
        if updates.are_complete and (updates.bundle is not None or not updates.env.revision):
            return
    except NoBundle:
        pass
    with builder_lock(directory):
        files.build(environment, progress, known)


@contextmanager
def builder_lock(directory: Path) -> Iterator[None]:
    """Let one process at a time build bundles from a store."""
    with open_lock(directory / _LOCK_FILE) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
