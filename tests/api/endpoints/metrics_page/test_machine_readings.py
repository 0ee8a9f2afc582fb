"""The surroundings of a server in its metrics: the disk, the certificates and the processes, and what is not known."""

import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from writ.api.endpoints.metrics_page import process_readings
from writ.api.endpoints.metrics_page.machine_readings import MachineReadings
from writ.api.endpoints.metrics_page.process_readings import ProcessReadings
from writ.api.server.tls import TlsContents, first_end
from writ.api.telemetry.metrics.machine_metrics import (
    CERTIFICATE_ENDS,
    DISK_FREE,
    DISK_SIZE,
    PROCESS_CPU,
    PROCESS_MAX_FDS,
    PROCESS_MEMORY,
    PROCESS_OPEN_FDS,
    PROCESS_START,
)

from tests.support.certificates import Authority

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")


def test_processes_are_added_up_and_the_fullest_has_its_files_told() -> None:
    readings = ProcessReadings()
    alone = readings.read([])
    waiting = "import sys; files = [open('/dev/null') for _ in range(200)]; print(flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", waiting], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        both = readings.read([os.getpid(), child.pid, 2**22 + 1])
    after = readings.read([child.pid])
    assert both[PROCESS_MEMORY][()] > alone[PROCESS_MEMORY][()]
    assert both[PROCESS_OPEN_FDS][()] >= 200
    assert alone[PROCESS_MAX_FDS][()] == both[PROCESS_MAX_FDS][()]
    assert alone[PROCESS_CPU][()] <= both[PROCESS_CPU][()] <= after[PROCESS_CPU][()], "the time of the dead stays"
    assert alone[PROCESS_START] == both[PROCESS_START]
    assert 0 < time.time() - alone[PROCESS_START][()] < 86_400 * 365


def test_without_proc_the_processes_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_readings, "_PROC", tmp_path)
    assert ProcessReadings().read([os.getpid()]) == {}


def test_the_disk_is_that_of_the_directory(tmp_path: Path) -> None:
    found = MachineReadings(tmp_path).read([])
    assert 0 <= found[DISK_FREE][()] <= found[DISK_SIZE][()]
    for known in (None, tmp_path / "gone"):
        assert not {DISK_FREE, DISK_SIZE} & MachineReadings(known).read([]).keys()


def test_the_first_certificate_that_ends_counts_and_an_unreadable_one_is_told_as_ended(tmp_path: Path) -> None:
    authority = Authority(tmp_path, "authority")
    sooner, later = (authority.pair(str(days), later=timedelta(days=days)) for days in (1, 5))
    own, other = sooner.certificate.read_bytes(), later.certificate.read_bytes()
    ends = first_end(own)
    assert ends is not None
    assert first_end(other + own) == first_end(own + other) == ends
    readings = MachineReadings()
    assert CERTIFICATE_ENDS not in readings.read([])
    readings.serve(TlsContents(other + own, b"", b"no certificate"))
    assert readings.read([])[CERTIFICATE_ENDS] == {("served",): ends, ("client_ca",): 0.0}
    readings.serve(TlsContents(other, b"", None))
    assert readings.read([])[CERTIFICATE_ENDS] == {("served",): first_end(other)}
