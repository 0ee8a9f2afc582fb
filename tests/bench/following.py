"""What it costs that a change is in force at once: `python -m tests.bench.following --data DIR [--seconds S]`.

DIR is a data directory with a model in it, as `writ import` leaves it; the run adds grants to it. Latencies are those
of evaluations over HTTP, one after the other on one connection to one worker, alone, beside 100 changes a second, and
beside the building of a new bundle.
"""

import argparse
import http.client
import json
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from writ.api.engines.live.bundle_files import BundleFiles
from writ.api.engines.live.live_engines import LiveEngines
from writ.api.store.store import Store
from writ.api.telemetry.log import service_log

from tests.bench.management import ENVIRONMENT, Client, grant
from tests.support.server import ROOT, Server, running

CHANGES_A_SECOND = 100
PROBES = 20_000


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    watching(options.data)
    begun = time.monotonic()
    with running(options.data) as server:
        print(f"ready after {time.monotonic() - begun:.2f} s, imports and workers included")
        declare(server)
        show("alone", latencies(server, options.seconds))
        with changing(server):
            show(f"beside {CHANGES_A_SECOND} changes a second", latencies(server, options.seconds))
        with compacting(options.data):
            show("beside the building of a bundle", latencies(server, options.seconds))


def watching(directory: Path) -> None:
    """What it costs to know that nothing changed."""
    store = Store.open(directory)
    live_engines = LiveEngines(store, BundleFiles(directory, store), 5.0, service_log("error"))
    live_engines.engine()
    begun = time.perf_counter()
    for _ in range(PROBES):
        live_engines.engine()
    print(f"to know that nothing changed: {(time.perf_counter() - begun) / PROBES * 1e6:.1f} µs")
    store.close()


def declare(server: Server) -> None:
    """See that there is a type that grants can be on."""
    connection = http.client.HTTPConnection(server.host, server.port)
    body = json.dumps({"id": "document", "actions": ["read"]})
    headers = {"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"}
    connection.request("POST", f"{ENVIRONMENT}/resource-types", body, headers)
    connection.getresponse().read()


def latencies(server: Server, seconds: float) -> list[float]:
    """Milliseconds of evaluations, sorted."""
    client, found, number = Client(server.host, server.port), [], 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        number += 1
        question = {
            "subject": {"type": "user", "id": f"user-{number % 5_000}"},
            "action": {"name": "read"},
            "resource": {"type": "document", "id": f"document-{number}"},
        }
        begun = time.perf_counter()
        client.ask("POST", "/access/v1/evaluation", question)
        found.append((time.perf_counter() - begun) * 1e3)
    return sorted(found)


@contextmanager
def changing(server: Server) -> Iterator[None]:
    """Meanwhile another process creates grants, so many a second."""
    process = multiprocessing.get_context("spawn").Process(
        target=create_grants, args=(server.host, server.port), daemon=True
    )
    process.start()
    time.sleep(2)
    try:
        yield
    finally:
        process.terminate()
        process.join()


def create_grants(host: str, port: int) -> None:
    """Create grants until the process is ended."""
    client, begun = Client(host, port), time.monotonic()
    name, number = f"following-{time.time_ns()}", 0
    while True:
        client.ask("POST", f"{ENVIRONMENT}/grants", grant(name, number))
        number += 1
        time.sleep(max(0.0, begun + number / CHANGES_A_SECOND - time.monotonic()))


COMPACTING = """
import sys
from pathlib import Path
from writ.api.engines.live.bundle_files import BundleFiles
from writ.api.store.store import Store
directory = Path(sys.argv[1])
BundleFiles(directory, Store.open(directory, create=False)).build("default")
"""


@contextmanager
def compacting(directory: Path) -> Iterator[None]:
    """Meanwhile a process builds a bundle of the store."""
    line = [sys.executable, "-c", COMPACTING, str(directory)]
    with subprocess.Popen(line, cwd=ROOT) as process:
        time.sleep(1)
        try:
            yield
        finally:
            process.wait()


def show(what: str, found: list[float]) -> None:
    """One line."""
    half, late = found[len(found) // 2], found[len(found) * 99 // 100]
    print(f"{what:36} p50 {half:6.2f} ms   p99 {late:6.2f} ms   worst {found[-1]:7.1f} ms   {len(found):,} evaluations")


if __name__ == "__main__":
    main()
