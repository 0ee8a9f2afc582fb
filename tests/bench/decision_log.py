"""What the decision log adds to an evaluation over HTTP: `python -m tests.bench.decision_log`.

Three services with one worker each answer the same requests, in turns: without a decision log, with one in a file, and
with one in a file whose masks change each record. The figures are the workers' processor time, with that of the threads
that write.
"""

import json
import socket
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final

from tests.bench.gateways import cost, evaluation, model
from tests.bench.management import Client
from tests.support.processes import children
from tests.support.server import Server, running

REQUESTS: Final = 5_000
ROUNDS: Final = 11
SETTLE_SECONDS: Final = 0.3
"""The time in which the last records of a round are written."""

MASKS: Final = json.dumps({"few": [{"path": "$.context.path", "do": "hash"}]})
KINDS: Final = {
    "without": {},
    "file": {"WRIT_DECISION_LOG": "log"},
    "file, masked": {"WRIT_DECISION_LOG": "masked", "WRIT_DECISION_LOG_MASKS": MASKS},
}


def main() -> None:
    """Print the figures."""
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        servers = {
            kind: stack.enter_context(running(Path(folder) / kind, workers=1, settings=settings))
            for kind, settings in KINDS.items()
        }
        services = {}
        for kind, server in servers.items():
            prepare(server)
            connection = socket.create_connection((server.host, server.port))
            services[kind] = stack.enter_context(connection), worker(server)
        requests = [evaluation()] * REQUESTS
        for _ in range(ROUNDS):
            for kind, (connection, process) in services.items():
                times[kind].append(cost(connection, process, requests))
                time.sleep(SETTLE_SECONDS)
        stack.close()  # each service writes what waits
        for name in ("log", "masked"):
            lines = (Path(folder) / name).read_bytes().count(b"\n")
            assert lines == REQUESTS * ROUNDS, lines
    for kind, found in times.items():
        ratios = [one / beside for one, beside in zip(found, times["without"], strict=True)]
        least, middle = min(found) * 1e6, median(found) * 1e6
        print(f"{kind:14} {least:6.1f} us of processor time at least, {middle:6.1f} in the median,", end=" ")
        print(f"{median(ratios):.3f} times without")


def prepare(server: Server) -> None:
    """Make the environment that the requests ask."""
    client = Client(server.host, server.port)
    client.ask("POST", "/v1/environments", {"id": "few"})
    client.ask("PUT", "/v1/environments/few/model", model(1))


def worker(server: Server) -> int:
    """The process that answers."""
    return children(server.process.pid)[0]


if __name__ == "__main__":
    main()
