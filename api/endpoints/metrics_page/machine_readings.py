"""Reads the surroundings of a server for an answer with metrics: its disk, its certificates and its processes."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ...server.tls import TlsContents, first_end
from ...telemetry.metrics.machine_metrics import CERTIFICATE_ENDS, CLIENT_CA, DISK_FREE, DISK_SIZE, SERVED
from ...telemetry.metrics.metric import Metric, Series
from .process_readings import ProcessReadings


class MachineReadings:
    """The readings of one server, made before its workers are forked. An answer takes one look at the disk."""

    def __init__(self, directory: Path | None = None) -> None:
        """`directory` is the data directory, or an agent's state directory, or None if it has none."""
        self._directory, self._processes = directory, ProcessReadings()
        self._ends: dict[Series, float] = {}

    def serve(self, contents: TlsContents) -> None:
        """Takes over the certificates that the workers will show. The master calls it before it forks them."""
        files = {SERVED: contents.certificate, CLIENT_CA: contents.client_ca}
        self._ends = {(name,): first_end(pem) or 0.0 for name, pem in files.items() if pem is not None}

    def read(self, workers: Iterable[int]) -> dict[Metric, dict[Series, float]]:
        """Returns the values of the metrics. `workers` are the ids of the worker processes."""
        found = self._processes.read(workers)
        if self._ends:
            found[CERTIFICATE_ENDS] = dict(self._ends)
        if self._directory is not None:
            with suppress(OSError):  # the directory is gone: the metrics are missing
                disk = os.statvfs(self._directory)
                found[DISK_FREE] = {(): disk.f_bavail * disk.f_frsize}
                found[DISK_SIZE] = {(): disk.f_blocks * disk.f_frsize}
        return found
