"""Prints the cost of a question through a client on loopback: `python -m tests.bench.client [--rounds N]`.

The same evaluation is asked in turns, of one worker: by the `allowed` of `Client` and of `AsyncClient`, by a bare
`httpx.Client` and a bare `httpx.AsyncClient`, and by a bare `http.client` connection, which is kept open. Each reads
the answer as JSON. The figures are medians of rounds, on the wall and of this process's processor time, and multiples
of `http.client`.
"""

import argparse
import asyncio
import http.client
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import httpx
from writ.client import AsyncClient, Client

from tests.bench.edge import MODEL
from tests.support.server import KEY, Server, running

ASKED = ("user", "alice", "read", "document", "d1")
REQUEST = {
    "subject": {"type": "user", "id": "alice"},
    "action": {"name": "read"},
    "resource": {"type": "document", "id": "d1"},
}
PATH = "/access/v1/evaluation"
QUESTIONS = 200
"""The questions of a turn."""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "data") as service:
        with service.client() as manager:
            manager.put("/v1/environments/default/model", json=MODEL).raise_for_status()
        show(measured(ways(service), options.rounds))


def ways(service: Server) -> dict[str, Callable[[], object]]:
    """A function for each way of asking once."""
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    bare, session = http.client.HTTPConnection(service.host, service.port), httpx.Client(headers=headers)
    client, loop = Client(service.url, token=KEY, timeout=10), asyncio.new_event_loop()
    asynchronous = AsyncClient(service.url, token=KEY, timeout=10)

    looping = httpx.AsyncClient(headers=headers)

    async def by_loop() -> object:
        return (await looping.post(service.url + PATH, json=REQUEST)).json()["decision"]

    def by_connection() -> object:
        bare.request("POST", PATH, json.dumps(REQUEST), headers)
        return json.loads(bare.getresponse().read())["decision"]

    return {
        "http.client": by_connection,
        "httpx": lambda: session.post(service.url + PATH, json=REQUEST).json()["decision"],
        "client.allowed()": lambda: client.allowed(*ASKED),
        "httpx, asyncio": lambda: loop.run_until_complete(by_loop()),
        "AsyncClient": lambda: loop.run_until_complete(asynchronous.allowed(*ASKED)),
    }


def measured(asking: dict[str, Callable[[], object]], rounds: int) -> dict[str, tuple[float, float]]:
    """The microseconds of each way: on the wall, and of the processor."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in asking}
    for number in range(rounds + 1):
        for name, ask in asking.items():
            wall, processor = time.perf_counter_ns(), time.process_time_ns()
            for _ in range(QUESTIONS):
                ask()
            spent = time.perf_counter_ns() - wall, time.process_time_ns() - processor
            if number:  # the first turn opens connections
                times[name].append((spent[0] / QUESTIONS / 1e3, spent[1] / QUESTIONS / 1e3))
    return {name: (median(one for one, _ in all_), median(two for _, two in all_)) for name, all_ in times.items()}


def show(found: dict[str, tuple[float, float]]) -> None:
    """Print a line for each way."""
    wall, processor = found["http.client"]
    for name, (one, two) in found.items():
        print(f"{name:18} {one:7.0f} µs ({one / wall:4.2f}), processor {two:6.0f} µs ({two / processor:4.2f})")


if __name__ == "__main__":
    main()
