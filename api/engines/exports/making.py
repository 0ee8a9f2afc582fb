"""Makes an export, as a job."""

import time
from typing import Final

import msgspec

from ....bundles.signing.pem_keys import read_signing_key
from ...store.errors import NotFound
from ..jobs.job import Job, JobCall
from ..work.gc_pause import without_gc
from .make import ExportMaker


class ExportRequest(msgspec.Struct, frozen=True):
    """A request to export `revision` of an environment or later, signed with `key` (PEM), for `lifetime` seconds."""

    environment: str
    revision: int
    key: bytes
    lifetime: int

    def __repr__(self) -> str:
        """Returns it without the key."""
        return f"ExportRequest({self.environment!r}, {self.revision})"


@without_gc()
def make_export(call: JobCall[ExportRequest]) -> None:
    """Make the export. Raises StoreUnavailable, OSError."""
    asked = call.request
    maker = ExportMaker(call.store.directory, call.store, time.time)
    try:
        maker.export(asked.environment, asked.revision, read_signing_key(asked.key), asked.lifetime)
    except NotFound:  # the environment was deleted meanwhile
        return


EXPORT: Final = Job(f"{__name__}:EXPORT", make_export, ExportRequest, type(None), task="exports a bundle")
