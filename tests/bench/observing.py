"""What telling of requests adds to an evaluation over HTTP: `python -m tests.bench.observing`.

Services with one worker each answer the same requests, in turns: without, with an access log, and with OpenTelemetry.
The requests take the decision lane, or the way of the application. The figures are the workers' processor time, with
that of the threads that write.
"""

import socket
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final

from tests.bench.decision_log import prepare, worker
from tests.bench.gateways import cost, evaluation, spent
from tests.support.otlp import OtlpCollector
from tests.support.server import running

REQUESTS: Final = 2_000
ROUNDS: Final = 5
SETTLE_SECONDS: Final = 0.5
"""The time in which the last requests of a round are told."""


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        collector = stack.enter_context(OtlpCollector().serving())
        sampled = {"OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.01"}
        kinds = {
            "without": {},
            "text": {"WRIT_ACCESS_LOG": "on"},
            "json": {"WRIT_ACCESS_LOG": "on", "WRIT_LOG_FORMAT": "json"},
            "otel": collector.settings | {"OTEL_METRIC_EXPORT_INTERVAL": "10000"},
            "otel, 1 %": collector.settings | {"OTEL_METRIC_EXPORT_INTERVAL": "10000"} | sampled,
        }
        servers = {
            kind: stack.enter_context(running(Path(folder) / kind, workers=1, settings=settings))
            for kind, settings in kinds.items()
        }
        for server in servers.values():
            prepare(server)
        slow = evaluation().replace(b"\r\n", b"\r\nOrigin: https://a.example\r\n", 1)
        for way, request in (("lane", evaluation()), ("application", slow)):
            times: dict[str, list[float]] = {kind: [] for kind in kinds}
            for _ in range(ROUNDS):
                for kind, server in servers.items():
                    before = spent(process := worker(server))
                    with socket.create_connection((server.host, server.port)) as connection:
                        cost(connection, process, [request] * REQUESTS)
                    time.sleep(SETTLE_SECONDS)
                    times[kind].append((spent(process) - before) / REQUESTS)
            for kind, found in times.items():
                ratio = median(one / beside for one, beside in zip(found, times["without"], strict=True))
                print(f"{way:12} {kind:10} {median(found) * 1e6:6.1f} us in the median, {ratio:.2f} times without")


if __name__ == "__main__":
    main()
