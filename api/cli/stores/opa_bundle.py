"""Writes the bundle file for OPA: a tar archive, compressed by gzip, with the same bytes for the same files."""

import gzip
import tarfile
from collections.abc import Mapping
from io import BytesIO
from typing import BinaryIO

from ....bundles import zones
from ....compiler.model.elements import Model
from ....compiler.rego.opa_files import bundle_files
from ...store.environments import Environment


def opa_files(environment: Environment, model: Model) -> dict[str, bytes]:
    """Returns the files of the bundle of an environment. Its manifest names environment, revision and time zones.

    Raises NotInRego if Rego can't say the model exactly.
    """
    metadata = {"environment": environment.id, "revision": environment.revision, "tzdata": zones.VERSION}
    return bundle_files(model, zones.zone_data, f"{environment.id}:{environment.revision}", {"writ": metadata})


def write_archive(files: Mapping[str, bytes], output: BinaryIO) -> None:
    """Writes files by their names, in order, without times, users or hosts."""
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=output, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, BytesIO(content))
