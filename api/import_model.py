"""Replaces a stored model by documents, and makes it be in force: what `import` and `serve` share."""

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from api.build import Read, Refused, read_sources
from api.bundle_files import BundleFiles, NoBundle
from api.store.incoming import Incoming
from api.store.store import Store
from bundles.writer import Progress
from compiler.source import Source

COMMAND_LINE = "command line"
"""Who the change log names for what was changed without the HTTP API."""

_LOCK_FILE = "compaction.lock"


def import_model(store: Store, environment: str, sources: Sequence[Source], progress: Progress) -> Read:
    """Replace the model of an environment; gives back what was found, warnings at most.

    Raises Refused for documents with errors, NotFound, StoreUnavailable; nothing is changed then.
    """
    read = read_sources(sources, progress)
    if read.model is None:
        raise Refused(read)
    progress("storing", 0, 1)
    store.put_incoming(environment, COMMAND_LINE, Incoming.of(read.model, sources))
    progress("storing", 1, 1)
    return read


def ensure_bundle(directory: Path, store: Store, environment: str, progress: Progress) -> None:
    """See that a bundle, with deltas, leads to the environment's revision. Raises OSError, StoreUnavailable."""
    files = BundleFiles(directory, store)
    try:
        followed, _ = files.newest(environment)
        if followed.complete:
            return
    except NoBundle:
        pass
    with one_builder(directory):
        files.build(environment, progress)


@contextmanager
def one_builder(directory: Path) -> Iterator[None]:
    """One process at a time builds bundles from a store."""
    with open(directory / _LOCK_FILE, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
