"""What one worker and one core carry, and what the data takes: `python -m tests.bench.sizes [--grants N]…`.

`writ import` stores a company of 1,000 policies and N direct grants, ten to a subject, and builds the bundle. A service
with one worker starts on it, and answers evaluations that distinct grants decide, over one connection.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL
from unittest.mock import patch

from tests.bench.http.processes import processor_seconds
from tests.bench.opening import questions, write_document
from tests.support import server as servers
from tests.support.processes import children
from tests.support.raw_http import RawConnection, request
from tests.support.server import KEY, Server, command, environment, running

SIZES = (1_000, 100_000, 1_000_000)
GRANTS_A_SUBJECT, REQUESTS, ROUNDS = 10, 2_000, 5
PATIENCE_SECONDS = 600
"""How long a service may take to start. Tests wait a shorter time."""

MIB, KIB = 2**20, 2**10


def memory(process: int, field: str) -> float:
    """Returns the memory of a process of the kinds that begin with `field`, in MiB."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith(field)) / KIB


def folder_size(folder: Path, pattern: str) -> float:
    """Returns the size of the files of a folder that fit a pattern, in MiB."""
    return sum(path.stat().st_size for path in folder.rglob(pattern) if path.is_file()) / MIB


def imported(document: Path, data: Path) -> dict[str, float]:
    """Imports a document by `writ import`, which also builds the bundle. Returns what that took and left behind."""
    begun = time.perf_counter()
    child = subprocess.Popen(command("import", str(document), "--data", str(data)), env=environment(), stderr=DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)  # unlike `Popen.wait`, it tells the child's memory
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"`writ import` ended with exit code {child.returncode}")
    return {
        "import, s": time.perf_counter() - begun,
        "import, processor s": usage.ru_utime + usage.ru_stime,
        "import, memory at its peak, MiB": usage.ru_maxrss / KIB,
        "store, MiB": folder_size(data, "writ.db*"),
        "bundle, MiB": folder_size(data / "bundles", "*.bundle"),
    }


def served(data: Path, asked: Sequence[bytes]) -> dict[str, float]:
    """Starts a service on what was imported, and returns what the start and its evaluations take."""
    begun = time.perf_counter()
    with running(data) as server:
        (worker,) = children(server.process.pid)
        found = {
            "start until ready, s": time.perf_counter() - begun,
            "worker before requests, own MiB": memory(worker, "Private_Dirty"),
        }
        found["evaluation, processor µs of the worker"] = least(server, worker, asked)
        found["worker after requests, own MiB"] = memory(worker, "Private_Dirty")
        found["worker after requests, pages of files, MiB"] = memory(worker, "Private_Clean")  # the bundle's
        found["worker after requests, shared MiB"] = memory(worker, "Shared_")
    return found


def least(server: Server, worker: int, asked: Sequence[bytes]) -> float:
    """Returns the least processor time for an evaluation in microseconds, of some rounds."""
    rounds = []
    with RawConnection(server.host, server.port) as connection:
        for _ in range(ROUNDS + 1):  # the first one fills the caches
            before = processor_seconds(worker)
            for one in asked:
                connection.send(one)
                answer = connection.answer()
                if answer.json.get("decision") is not True:
                    sys.exit(f"the grant was not found: {answer}")
            rounds.append((processor_seconds(worker) - before) / len(asked) * 1e6)
    return min(rounds[1:])


def main() -> None:
    """Measure each size, and print the figures of all of them as a table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.sizes", description=__doc__)
    parser.add_argument("--grants", type=int, action="append", help="a number of grants; repeatable")
    sizes = parser.parse_args().grants or SIZES
    columns: list[dict[str, float]] = []
    print(f"{time.strftime('%Y-%m-%d')}, CPython {sys.version.split()[0]}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as name, patch.object(servers, "_PATIENCE_SECONDS", PATIENCE_SECONDS):
        for grants in sizes:
            folder, subjects = Path(name) / str(grants), grants // GRANTS_A_SUBJECT
            folder.mkdir()
            write_document(folder / "model.json", grants, subjects)
            found = {"document, MiB": (folder / "model.json").stat().st_size / MIB}
            bodies = [json.dumps(one).encode() for one in questions(grants, subjects, REQUESTS)]
            asked = [request("POST", "/access/v1/evaluation", body, key=KEY) for body in bodies]
            found |= imported(folder / "model.json", folder / "data")
            columns.append(found | served(folder / "data", asked))
    print(" " * 40 + "".join(f"{grants:>12,}" for grants in sizes))
    for row in columns[0]:
        print(f"{row:<40}" + "".join(f"{column[row]:>12,.1f}" for column in columns))


if __name__ == "__main__":
    main()
