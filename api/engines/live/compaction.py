"""Builds the bundle of an environment, as a job."""

from typing import Final

import msgspec

from ...store.errors import NotFound
from ..jobs.job import Job, JobCall
from ..work.gc_pause import without_gc
from .bundle_files import BundleFiles
from .import_model import builder_lock


class CompactionRequest(msgspec.Struct, frozen=True):
    """Which environment to build a bundle of, and at which revision at least."""

    environment: str
    revision: int


@without_gc()
def compact(call: JobCall[CompactionRequest]) -> None:
    """Build a bundle, unless there is one of the revision or later. One process at a time builds.

    Raises StoreUnavailable, OSError.
    """
    directory, asked = call.store.directory, call.request
    files = BundleFiles(directory, call.store)
    try:
        with builder_lock(directory):
            if files.recorded(asked.environment, asked.revision) is None:
                files.build(asked.environment, call.progress)
    except NotFound:  # the environment was deleted meanwhile
        return


COMPACTION: Final = Job(f"{__name__}:COMPACTION", compact, CompactionRequest, type(None), task="builds a bundle")
